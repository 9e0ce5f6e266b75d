//! A DNS server that gives addresses only to clients with a cookie of RFC 9018.
//!
//! ```console
//! cargo run --release -p keylane-uses --bin dns_cookies -- 127.0.0.1:5300
//! ```

mod cookies;
mod message;
mod server;
#[cfg(test)]
mod tests;

use cookies::Secrets;
use keylane::siphash::{Key, SipHash24};
use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::thread;
use std::time::Duration;

/// A client, whose own cookie is another one for every server, so that servers cannot recognise it together.
struct Client {
    socket: UdpSocket,
    cookie: [u8; 8],
    server_cookie: Option<[u8; 16]>,
}

impl Client {
    fn new(server: SocketAddr, secret: &Key) -> Result<Client, Box<dyn Error>> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.set_read_timeout(Some(Duration::from_secs(10)))?;
        socket.connect(server)?;
        let address = match server.ip() {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => address,
        };
        let cookie = SipHash24::new(secret).hash(&address.octets()).to_le_bytes();
        Ok(Client { socket, cookie, server_cookie: None })
    }

    /// Asks for an address, shows the server's last cookie, and keeps the one that comes. The answer is its error and
    /// its bytes.
    fn ask(&mut self, name: &str) -> Result<(u16, Vec<u8>), Box<dyn Error>> {
        let known = self.server_cookie.as_ref().map_or(&[][..], |cookie| cookie);
        self.socket.send(&message::write_query(7, name, &[&self.cookie, known]))?;
        let mut answer = vec![0; message::LONGEST];
        let length = self.socket.recv(&mut answer)?;
        answer.truncate(length);
        let (error, cookie) = message::read_answer(&answer).ok_or("this answer cannot be read")?;
        self.server_cookie = cookie;
        Ok((error, answer))
    }
}

/// Starts a server on loopback. It ends with the process.
fn start() -> Result<SocketAddr, Box<dyn Error>> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = socket.local_addr()?;
    let secrets = Secrets::new(Key::generate()?);
    thread::spawn(move || server::serve(&socket, secrets));
    Ok(address)
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(address) = std::env::args().nth(1) {
        let socket = UdpSocket::bind(address)?;
        println!("{} answers until it is stopped", socket.local_addr()?);
        match server::serve(&socket, Secrets::new(Key::generate()?))? {}
    }
    let mut client = Client::new(start()?, &Key::generate()?)?;
    for what in ["without a server cookie", "with the cookie that came"] {
        let (error, answer) = client.ask("example.com")?;
        println!("{what}: error {error}, {} bytes", answer.len());
    }
    client.server_cookie = Some([1; 16]);
    let (error, answer) = client.ask("example.com")?;
    println!("with a forged cookie: error {error}, {} bytes", answer.len());
    Ok(())
}
