//! The two MACs: keys, parameters, and the order of calls.

use core::num::NonZeroU8;
use keylane::poly1305::{OneTimeKey, Poly1305};
use keylane::siphash::{AnySipHash, AnyStream, Key};

/// A number that a caller may set or get.
#[derive(Clone, Copy, PartialEq)]
pub enum Number {
    /// Bytes of the tag.
    Size,
    /// Rounds for each word.
    C,
    /// Rounds at the end.
    D,
}

/// A call that is not possible now, or with these arguments.
pub struct Refused;

/// Whether a call was possible.
pub type Answer<T = ()> = Result<T, Refused>;

/// A MAC, from its creation to its end. Dropping it wipes its key.
pub trait Mac: Sized {
    /// What can be set.
    const SETTABLE: &'static [Number];
    /// What can be got.
    const GETTABLE: &'static [Number];

    /// A MAC without a key.
    fn new() -> Self;
    /// A copy of the computation.
    fn duplicate(&self) -> Self;
    /// Sets a number.
    fn set(&mut self, number: Number, value: usize) -> Answer;
    /// A number.
    fn get(&self, number: Number) -> usize;
    /// Sets the key, and begins a message.
    fn set_key(&mut self, key: &[u8]) -> Answer;
    /// Begins another message under the same key. Without a key, it waits for one.
    fn restart(&mut self) -> Answer;
    /// Takes the next piece.
    fn update(&mut self, piece: &[u8]) -> Answer;
    /// The tag: its first `get(Size)` bytes.
    fn finish(&mut self) -> Answer<[u8; 16]>;
}

/// Rounds, as a caller sets them: 0 is the default.
#[derive(Clone, Copy)]
struct Rounds {
    c: Option<NonZeroU8>,
    d: Option<NonZeroU8>,
}

impl Rounds {
    const DEFAULT: [NonZeroU8; 2] = [NonZeroU8::new(2).unwrap(), NonZeroU8::new(4).unwrap()];

    fn c(self) -> NonZeroU8 {
        self.c.unwrap_or(Self::DEFAULT[0])
    }

    fn d(self) -> NonZeroU8 {
        self.d.unwrap_or(Self::DEFAULT[1])
    }
}

/// SipHash-c-d with tags of 8 or 16 bytes.
pub struct SipHash {
    double: bool,
    /// For the next key.
    rounds: Rounds,
    /// The key, with the rounds that were set before it.
    key: Option<(Key, Rounds)>,
    message: Message,
}

/// What has come of a message.
#[derive(Clone)]
enum Message {
    /// No key yet, or a message whose tag got another size in its middle.
    None,
    /// Nothing.
    Begun(Stream),
    /// Some pieces.
    Continued(Stream),
}

#[derive(Clone)]
enum Stream {
    Single(AnyStream),
    Double(AnyStream<u128>),
}

impl SipHash {
    /// Begins a message, if there is a key.
    fn begin(&mut self) {
        self.message = match &self.key {
            None => Message::None,
            Some((key, rounds)) => Message::Begun(if self.double {
                Stream::Double(AnySipHash::<u128>::new(key, rounds.c(), rounds.d()).stream())
            } else {
                Stream::Single(AnySipHash::<u64>::new(key, rounds.c(), rounds.d()).stream())
            }),
        };
    }
}

impl Mac for SipHash {
    const SETTABLE: &'static [Number] = &[Number::Size, Number::C, Number::D];
    const GETTABLE: &'static [Number] = &[Number::Size, Number::C, Number::D];

    fn new() -> Self {
        SipHash { double: true, rounds: Rounds { c: None, d: None }, key: None, message: Message::None }
    }

    fn duplicate(&self) -> Self {
        let SipHash { double, rounds, key, message } = self;
        SipHash { double: *double, rounds: *rounds, key: key.clone(), message: message.clone() }
    }

    fn set(&mut self, number: Number, value: usize) -> Answer {
        match number {
            Number::Size => {
                let double = match value {
                    8 => false,
                    0 | 16 => true,
                    _ => return Err(Refused),
                };
                if double != self.double {
                    self.double = double;
                    // The two widths begin differently, so a message that has begun has no tag of the other size.
                    match self.message {
                        Message::Begun(_) => self.begin(),
                        Message::None | Message::Continued(_) => self.message = Message::None,
                    }
                }
            }
            Number::C => self.rounds.c = NonZeroU8::new(value.try_into().map_err(|_| Refused)?),
            Number::D => self.rounds.d = NonZeroU8::new(value.try_into().map_err(|_| Refused)?),
        }
        Ok(())
    }

    fn get(&self, number: Number) -> usize {
        match number {
            Number::Size if self.double => 16,
            Number::Size => 8,
            Number::C => self.rounds.c().get().into(),
            Number::D => self.rounds.d().get().into(),
        }
    }

    fn set_key(&mut self, key: &[u8]) -> Answer {
        let key: &[u8; 16] = key.try_into().map_err(|_| Refused)?;
        self.key = Some((Key::from_bytes(*key), self.rounds));
        self.begin();
        Ok(())
    }

    fn restart(&mut self) -> Answer {
        self.begin();
        Ok(())
    }

    fn update(&mut self, piece: &[u8]) -> Answer {
        if let Message::Begun(_) = self.message
            && !piece.is_empty()
            && let Message::Begun(stream) = core::mem::replace(&mut self.message, Message::None)
        {
            self.message = Message::Continued(stream);
        }
        match &mut self.message {
            Message::None => Err(Refused),
            Message::Begun(_) => Ok(()),
            Message::Continued(Stream::Single(stream)) => {
                stream.update(piece);
                Ok(())
            }
            Message::Continued(Stream::Double(stream)) => {
                stream.update(piece);
                Ok(())
            }
        }
    }

    fn finish(&mut self) -> Answer<[u8; 16]> {
        match &self.message {
            Message::None => Err(Refused),
            Message::Begun(Stream::Single(stream)) | Message::Continued(Stream::Single(stream)) => {
                Ok(u128::from(stream.finish()).to_le_bytes())
            }
            Message::Begun(Stream::Double(stream)) | Message::Continued(Stream::Double(stream)) => {
                Ok(stream.finish().to_le_bytes())
            }
        }
    }
}

/// Poly1305. A key authenticates one message: after the first piece or the tag, only another key begins another message.
pub struct OneTime {
    message: Option<Poly1305>,
    /// Whether the key has been used.
    used: bool,
}

impl Mac for OneTime {
    const SETTABLE: &'static [Number] = &[];
    const GETTABLE: &'static [Number] = &[Number::Size];

    fn new() -> Self {
        OneTime { message: None, used: false }
    }

    fn duplicate(&self) -> Self {
        OneTime { message: self.message.as_ref().map(Poly1305::duplicate), used: self.used }
    }

    fn set(&mut self, _: Number, _: usize) -> Answer {
        Err(Refused)
    }

    fn get(&self, _: Number) -> usize {
        16
    }

    fn set_key(&mut self, key: &[u8]) -> Answer {
        let key: &[u8; 32] = key.try_into().map_err(|_| Refused)?;
        self.message = Some(Poly1305::new(OneTimeKey::from_bytes(*key)));
        self.used = false;
        Ok(())
    }

    fn restart(&mut self) -> Answer {
        if self.used { Err(Refused) } else { Ok(()) }
    }

    fn update(&mut self, piece: &[u8]) -> Answer {
        let message = self.message.as_mut().ok_or(Refused)?;
        self.used = true;
        message.update(piece);
        Ok(())
    }

    fn finish(&mut self) -> Answer<[u8; 16]> {
        let message = self.message.as_mut().ok_or(Refused)?;
        self.used = true;
        let tag = message.finish_in_place().to_bytes();
        self.message = None;
        Ok(tag)
    }
}
