//! Over loopback with OpenSSL's programs on the other side.
//!
//! Without OpenSSL there is nothing to compare with. The tests then say so and pass; under CI=true they fail.

use super::{bytes, client, identity, name, ours, server};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConnection, ServerConnection, StreamOwned, SupportedProtocolVersion};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

/// How many bytes go in each direction.
const BYTES: usize = 16 << 20;

/// Whether there is a program openssl. Prints the reason if not.
fn present() -> bool {
    let is_here = Command::new("openssl").arg("version").output().is_ok_and(|output| output.status.success());
    if !is_here {
        assert_ne!(env::var("CI").as_deref(), Ok("true"), "there is no program openssl");
        println!("nothing was compared: there is no program openssl");
    }
    is_here
}

/// A file that is removed at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, text).expect("a file");
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.0);
    }
}

/// A program of OpenSSL's. It ends with the test.
struct Program(Child);

impl Program {
    /// Starts it with the one suite of a version. What comes in on its standard input goes to the peer, and the peer's
    /// bytes to its standard output.
    fn start(command: &mut Command, version: &SupportedProtocolVersion) -> Self {
        if *version == TLS13 {
            command.args(["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"]);
        } else {
            command.args(["-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"]);
        }
        command.arg("-quiet").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        Program(command.spawn().expect("openssl"))
    }

    /// The same bytes in both directions, at the same time.
    fn exchange(&mut self, mut stream: impl Read + Write) {
        let all = bytes(BYTES);
        let (mut input, mut output) =
            (self.0.stdin.take().expect("a pipe"), self.0.stdout.take().expect("a pipe"));
        thread::scope(|scope| {
            scope.spawn(|| input.write_all(&all).expect("a pipe"));
            let theirs = scope.spawn(|| {
                let mut read = vec![0; BYTES];
                output.read_exact(&mut read).expect("as many bytes");
                read
            });
            let mut read = vec![0; BYTES];
            for (write, read) in all.chunks(60_000).zip(read.chunks_mut(60_000)) {
                stream.write_all(write).expect("a socket");
                stream.read_exact(read).expect("as many bytes");
            }
            assert!(read == all);
            assert!(theirs.join().expect("a thread") == all);
        });
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Fails rather than waits for ever.
fn with_timeout(socket: TcpStream) -> TcpStream {
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
    socket.set_write_timeout(Some(Duration::from_secs(60))).expect("a socket");
    socket
}

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    (listener, address)
}

fn from_s_client(version: &'static SupportedProtocolVersion, file: &str) {
    if !present() {
        return;
    }
    let identity = identity();
    let roots = File::new(&format!("{file}.pem"), &identity.cert.pem());
    let (listener, address) = listener();
    let mut command = Command::new("openssl");
    command.args(["s_client", "-verify_return_error", "-connect", &address, "-CAfile"]).arg(&roots.0);
    let mut program = Program::start(&mut command, version);
    let (socket, _) = listener.accept().expect("a client");
    let connection = ServerConnection::new(server(ours(), version, &identity)).expect("a server");
    program.exchange(StreamOwned::new(connection, with_timeout(socket)));
}

fn to_s_server(version: &'static SupportedProtocolVersion, file: &str) {
    if !present() {
        return;
    }
    let identity = identity();
    let cert = File::new(&format!("{file}-cert.pem"), &identity.cert.pem());
    let key = File::new(&format!("{file}-key.pem"), &identity.signing_key.serialize_pem());
    // A port that was free a moment ago.
    let (free, address) = listener();
    drop(free);
    let mut command = Command::new("openssl");
    command.args(["s_server", "-naccept", "1", "-accept", &address]);
    command.arg("-cert").arg(&cert.0).arg("-key").arg(&key.0);
    let mut program = Program::start(&mut command, version);
    let socket = (0..100).find_map(|_| {
        thread::sleep(Duration::from_millis(50));
        TcpStream::connect(&address).ok()
    });
    let connection = ClientConnection::new(client(ours(), version, &identity), name()).expect("a client");
    program.exchange(StreamOwned::new(connection, with_timeout(socket.expect("a server"))));
}

#[test]
fn s_client_tls13() {
    from_s_client(&TLS13, "s_client_tls13");
}

#[test]
fn s_client_tls12() {
    from_s_client(&TLS12, "s_client_tls12");
}

#[test]
fn s_server_tls13() {
    to_s_server(&TLS13, "s_server_tls13");
}

#[test]
fn s_server_tls12() {
    to_s_server(&TLS12, "s_server_tls12");
}
