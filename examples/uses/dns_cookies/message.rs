//! The part of DNS messages that a server with cookies needs (RFC 1035, 6891 and 7873).

/// The option that holds cookies.
const COOKIE: u16 = 10;
/// The types of records: an IPv4 address, and the options of EDNS.
pub const A: u16 = 1;
const OPT: u16 = 41;
/// The class of the Internet.
pub const IN: u16 = 1;

/// Bits of a header's flags.
const RESPONSE: u16 = 1 << 15;
const OPCODE: u16 = 0xf << 11;
const AUTHORITATIVE: u16 = 1 << 10;
pub const TRUNCATED: u16 = 1 << 9;
const RECURSION_DESIRED: u16 = 1 << 8;

/// The errors of an answer.
pub const FORMAT_ERROR: u16 = 1;
pub const BAD_COOKIE: u16 = 23;

/// The longest datagram that this server wants to get.
pub const LONGEST: usize = 1232;

/// A question.
pub struct Query<'a> {
    pub id: u16,
    pub flags: u16,
    /// Name, type and class, as they came.
    pub question: &'a [u8],
    pub kind: u16,
    pub class: u16,
    pub cookie: Option<Cookie<'a>>,
}

/// The option COOKIE of a query.
pub struct Cookie<'a> {
    pub client: &'a [u8; 8],
    /// A server cookie, if it has the size of those of RFC 9018.
    pub server: Option<&'a [u8; 16]>,
}

/// What a datagram is.
pub enum Received<'a> {
    Query(Query<'a>),
    /// A query with this id that nobody can read.
    Malformed(u16),
    /// No query: it gets no answer.
    Other,
}

/// Reads a datagram.
pub fn read(datagram: &[u8]) -> Received<'_> {
    let mut rest = Bytes(datagram);
    let (Some(id), Some(flags)) = (rest.u16(), rest.u16()) else { return Received::Other };
    if flags & (RESPONSE | OPCODE) != 0 {
        return Received::Other;
    }
    read_query(id, flags, rest).map_or(Received::Malformed(id), Received::Query)
}

/// Reads what follows the flags. There must be one question, and no record but additional ones.
fn read_query(id: u16, flags: u16, mut rest: Bytes<'_>) -> Option<Query<'_>> {
    let (1, 0, 0, additional) = (rest.u16()?, rest.u16()?, rest.u16()?, rest.u16()?) else { return None };
    let start = rest.0;
    rest.name()?;
    let (kind, class) = (rest.u16()?, rest.u16()?);
    let question = start.get(..start.len().checked_sub(rest.0.len())?)?;
    let mut cookie = None;
    for _ in 0..additional {
        rest.name()?;
        let kind = rest.u16()?;
        rest.take(6)?; // the class and the time to live, or what EDNS has in their places
        let length = rest.u16()?;
        let mut options = Bytes(rest.take(length.into())?);
        while kind == OPT && !options.0.is_empty() {
            let option = options.u16()?;
            let length = options.u16()?;
            let data = options.take(length.into())?;
            if option == COOKIE && cookie.is_none() {
                cookie = Some(read_cookie(data)?);
            }
        }
    }
    rest.0.is_empty().then_some(Query { id, flags, question, kind, class, cookie })
}

/// A client cookie has 8 bytes, a server cookie 8 to 32.
fn read_cookie(data: &[u8]) -> Option<Cookie<'_>> {
    let (client, server) = data.split_first_chunk()?;
    matches!(server.len(), 0 | 8..=32).then_some(Cookie { client, server: server.try_into().ok() })
}

/// The bytes of a message that are not read yet.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        let (&bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u16::from_be_bytes(bytes))
    }

    /// A name: labels until an empty one. A query has no reason to point to another name, so none may.
    fn name(&mut self) -> Option<()> {
        loop {
            match *self.take(1)? {
                [0] => return Some(()),
                [length @ 1..=63] => self.take(length.into())?,
                _ => return None,
            };
        }
    }
}

/// Appends an OPT record, with cookies if there are any.
fn write_options(message: &mut Vec<u8>, error: u16, cookies: &[&[u8]]) {
    let length: usize = cookies.iter().map(|part| part.len()).sum();
    let option = if length == 0 { 0 } else { length + 4 };
    message.push(0);
    for field in [OPT, LONGEST as u16, error >> 4 << 8, 0, option as u16] {
        message.extend(field.to_be_bytes());
    }
    if length != 0 {
        message.extend(COOKIE.to_be_bytes());
        message.extend((length as u16).to_be_bytes());
        message.extend(cookies.concat());
    }
}

/// An answer without question and records.
pub fn write_error(id: u16, error: u16) -> Vec<u8> {
    [id, RESPONSE | error, 0, 0, 0, 0].into_iter().flat_map(u16::to_be_bytes).collect()
}

/// An answer: flags beside those that every answer has, an error, an address, and the client's and server's cookies.
pub fn write_answer(
    query: &Query<'_>,
    flags: u16,
    error: u16,
    address: Option<[u8; 4]>,
    cookie: Option<[u8; 16]>,
) -> Vec<u8> {
    const SECONDS: u16 = 300;
    let flags = RESPONSE | AUTHORITATIVE | query.flags & RECURSION_DESIRED | flags | error & 0xf;
    let additional = u16::from(cookie.is_some());
    let header = [query.id, flags, 1, u16::from(address.is_some()), 0, additional];
    let mut message: Vec<u8> = header.into_iter().flat_map(u16::to_be_bytes).collect();
    message.extend(query.question);
    if let Some(address) = address {
        // The name of the question, which is 12 bytes from the beginning.
        let record = [0xc000 | 12, A, IN, 0, SECONDS, 4];
        message.extend(record.into_iter().flat_map(u16::to_be_bytes));
        message.extend(address);
    }
    if let (Some(given), Some(made)) = (&query.cookie, cookie) {
        write_options(&mut message, error, &[given.client, &made]);
    }
    message
}

/// A question for the address of a name, as a client sends it.
pub fn write_query(id: u16, name: &str, cookies: &[&[u8]]) -> Vec<u8> {
    let header = [id, RECURSION_DESIRED, 1, 0, 0, 1];
    let mut message: Vec<u8> = header.into_iter().flat_map(u16::to_be_bytes).collect();
    for label in name.split('.') {
        message.push(label.len() as u8);
        message.extend(label.as_bytes());
    }
    message.push(0);
    message.extend([A, IN].into_iter().flat_map(u16::to_be_bytes));
    write_options(&mut message, 0, cookies);
    message
}

/// What a client reads of an answer: the error, and the server cookie. This server puts cookies at the end.
pub fn read_answer(answer: &[u8]) -> Option<(u16, Option<[u8; 16]>)> {
    let &[_, _, _, low, _, _, _, _, _, _, _, additional, ..] = answer else { return None };
    let low = u16::from(low & 0xf);
    if additional == 0 {
        return Some((low, None));
    }
    // The OPT record: its fixed part has 11 bytes, the head of the option 4, the cookies 24.
    let (record, _) = answer.last_chunk::<39>()?.split_first_chunk::<15>()?;
    let high = u16::from(*record.get(5)?) << 4;
    Some((high | low, answer.last_chunk().copied()))
}
