//! What stands between program and server, and listens.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Stands between program and server, and listens.
pub struct Proxy {
    pub port: u16,
    /// What the server has said.
    pub heard: Arc<Mutex<Vec<u8>>>,
}

impl Proxy {
    /// Ends every connection after so many bytes from the server.
    pub fn start(server: u16, cut_after: usize) -> Proxy {
        Proxy::watching(server, move |_, passed| passed <= cut_after)
    }

    /// Asks before bytes from the server are passed on, with the number of the connection and of the bytes it has had; `false` ends it.
    pub fn watching(server: u16, is_open: impl FnMut(usize, usize) -> bool + Send + 'static) -> Proxy {
        let door = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = door.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listening = heard.clone();
        let is_open = Arc::new(Mutex::new(is_open));
        std::thread::spawn(move || {
            for (number, client) in door.incoming().flatten().enumerate() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let (mut from_client, mut to_server) =
                    (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from_client, &mut to_server);
                    let _ = to_server.shutdown(Shutdown::Both);
                });
                let (heard, is_open) = (listening.clone(), is_open.clone());
                std::thread::spawn(move || {
                    overhear(server, client, &heard, |passed| (is_open.lock().unwrap())(number, passed));
                });
            }
        });
        Proxy { port, heard }
    }

    /// Whether the server has said this.
    pub fn has_heard(&self, text: &str) -> bool {
        let heard = self.heard.lock().unwrap();
        heard.windows(text.len()).any(|window| window == text.as_bytes())
    }
}

fn overhear(
    mut server: TcpStream,
    mut client: TcpStream,
    heard: &Mutex<Vec<u8>>,
    mut is_open: impl FnMut(usize) -> bool,
) {
    let mut buffer = [0; 4096];
    let mut passed = 0;
    while let Ok(count) = server.read(&mut buffer) {
        heard.lock().unwrap().extend_from_slice(&buffer[..count]);
        passed += count;
        if count == 0 || !is_open(passed) || client.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = (server.shutdown(Shutdown::Both), client.shutdown(Shutdown::Both));
}
