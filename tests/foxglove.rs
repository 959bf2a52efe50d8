//! `extricate run --foxglove`: a client of the protocol reads the stream of a run, and it is what `states.jsonl` has.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod cli_program;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use cli_program::{program, scratch_folder};
use extricate_test_support::json_schema::faults;
use serde_json::{Value, json};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

/// Starts a run with a stream on a free port, and returns it with the address: it waits for a client.
fn start(folder: &Path, scene: &str, more: &[&str]) -> (Child, String) {
    let scene = format!("{}/scenes/{scene}", env!("CARGO_MANIFEST_DIR"));
    let mut run = program()
        .args(["run", &scene, "--steps", "12", "--every", "3", "-o", "run", "--foxglove=127.0.0.1:0"])
        .args(more)
        .current_dir(folder)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(run.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("ws://").nth(1).and_then(|rest| rest.split(';').next());
    (run, address.unwrap_or_else(|| panic!("no address: {line}")).to_owned())
}

/// The reply to a request for a WebSocket, and the connection behind it.
fn request(address: &str, host: &str, headers: &str) -> (String, TcpStream) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let key = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\n{key}\r\n{headers}\r\n").unwrap();
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
        head.push(byte[0]);
    }
    (String::from_utf8(head).unwrap(), stream)
}

/// A client that has read the greeting.
struct Client {
    socket: WebSocket<TcpStream>,
    channels: Vec<Value>,
}

impl Client {
    fn connect(address: &str, protocol: &str) -> Self {
        let headers = format!("Sec-WebSocket-Protocol: other.v1, {protocol}\r\n");
        let (head, stream) = request(address, address, &headers);
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        assert!(head.contains(&format!("Sec-WebSocket-Protocol: {protocol}\r\n")), "{head}");
        let mut this =
            Self { socket: WebSocket::from_raw_socket(stream, Role::Client, None), channels: Vec::new() };
        let info = this.text();
        assert_eq!((&info["op"], &info["capabilities"]), (&json!("serverInfo"), &json!(["time"])));
        let advertised = this.text();
        assert_eq!(advertised["op"], "advertise");
        advertised["channels"].as_array().unwrap().clone_into(&mut this.channels);
        this
    }

    fn text(&mut self) -> Value {
        serde_json::from_str(self.socket.read().unwrap().to_text().unwrap()).unwrap()
    }

    fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).unwrap();
    }

    /// Subscribes to channels, with numbers of its own.
    fn subscribe(&mut self, topics: &[&str]) {
        let wanted =
            self.channels.iter().filter(|channel| topics.contains(&channel["topic"].as_str().unwrap()));
        let wanted = wanted
            .map(|channel| json!({"id": 100 + channel["id"].as_u64().unwrap(), "channelId": channel["id"]}));
        let order = json!({"op": "subscribe", "subscriptions": wanted.collect::<Vec<_>>()});
        self.send(&order.to_string());
    }

    /// Messages until the end of the run, by topic, with their times [ns]; those of the clock under an empty topic.
    fn messages(mut self) -> BTreeMap<String, Vec<(u64, Value)>> {
        let mut found = BTreeMap::<String, Vec<_>>::new();
        loop {
            let bytes = match self.socket.read() {
                Ok(Message::Binary(bytes)) => bytes,
                Ok(Message::Close(_)) | Err(tungstenite::Error::ConnectionClosed) => return found,
                other => panic!("{other:?}"),
            };
            let number = |from: usize| u64::from_le_bytes(bytes[from..from + 8].try_into().unwrap());
            if bytes[0] == 2 {
                assert_eq!(bytes.len(), 9);
                found.entry(String::new()).or_default().push((number(1), Value::Null));
                continue;
            }
            assert_eq!(bytes[0], 1);
            let id = u32::from_le_bytes(bytes[1..5].try_into().unwrap());
            let channel = self.channels.iter().find(|channel| channel["id"] == id - 100).unwrap();
            let content = serde_json::from_slice(&bytes[13..]).unwrap();
            let schema = serde_json::from_str(channel["schema"].as_str().unwrap()).unwrap();
            assert_eq!(faults(&schema, &content), Vec::<String>::new());
            found
                .entry(channel["topic"].as_str().unwrap().to_owned())
                .or_default()
                .push((number(5), content));
        }
    }
}

fn recorded(folder: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(folder.join("run/states.jsonl")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn nanoseconds(state: &Value) -> u64 {
    format!("{:.0}", state["time"].as_f64().unwrap() * 1e9).parse().unwrap()
}

const TOPICS: [&str; 5] = ["/tf", "/scene", "/joints", "/contacts", "/contact_markers"];

#[test]
fn a_stream_has_the_states_that_are_recorded() {
    for (scene, protocol) in [
        ("rigid/ring_stack.ron", "foxglove.websocket.v1"),
        ("robots/cart_drives.ron", "foxglove.sdk.v1"),
        ("soft/drop.ron", "foxglove.sdk.v1"),
    ] {
        let folder = scratch_folder();
        let (mut run, address) = start(folder.folder(), scene, &["--speed", "0"]);
        let mut client = Client::connect(&address, protocol);
        client.subscribe(&TOPICS);
        let messages = client.messages();
        assert!(run.wait().unwrap().success(), "{scene}");
        let states = recorded(folder.folder());
        let times: Vec<u64> = states.iter().map(nanoseconds).collect();
        assert_eq!(times.len(), 5, "{scene}");
        let of = |topic: &str| messages.get(topic).map(Vec::as_slice).unwrap_or_default();
        for topic in ["", "/tf", "/contacts", "/contact_markers"] {
            assert_eq!(of(topic).iter().map(|(time, _)| *time).collect::<Vec<_>>(), times, "{scene} {topic}");
        }
        for (state, (_, message)) in states.iter().zip(of("/tf")) {
            for transform in message["transforms"].as_array().unwrap() {
                let body = &state["bodies"][transform["child_frame_id"].as_str().unwrap()];
                let place = ["x", "y", "z"].map(|axis| transform["translation"][axis].clone());
                assert_eq!(json!(place), body["position"], "{scene}");
            }
            assert_eq!(
                message["transforms"].as_array().unwrap().len(),
                state["bodies"].as_object().unwrap().len()
            );
        }
        for (state, (_, message)) in states.iter().zip(of("/contacts")) {
            assert_eq!(message["count"], state["contacts"], "{scene}");
        }
        // Meshes once; surfaces of soft bodies in each state.
        let has_soft = scene.starts_with("soft");
        assert_eq!(of("/scene").len(), if has_soft { 6 } else { 1 }, "{scene}");
        let meshes = of("/scene")[0].1["entities"].as_array().unwrap();
        assert!(meshes.iter().all(|entity| entity["frame_id"] == entity["id"]), "{scene}");
        assert_eq!(of("/joints").len(), if scene.starts_with("robots") { 5 } else { 0 }, "{scene}");
        for (state, (_, message)) in states.iter().zip(of("/joints")) {
            for joint in message["joints"].as_array().unwrap() {
                let (robot, name) = joint["name"].as_str().unwrap().split_once('/').unwrap();
                assert_eq!(joint["position"], state["robots"][robot]["joints"][name], "{scene}");
            }
        }
    }
}

#[test]
fn a_stream_sends_what_is_subscribed_to_and_answers_what_it_cannot_do() {
    let folder = scratch_folder();
    let (mut run, address) = start(folder.folder(), "rigid/ring_stack.ron", &["--speed", "0"]);
    let mut client = Client::connect(&address, "foxglove.websocket.v1");
    let mut complaint = |text: &str| {
        client.send(text);
        let reply = client.text();
        assert_eq!((&reply["op"], &reply["level"]), (&json!("status"), &json!(2)), "{text}");
        reply["message"].as_str().unwrap().to_owned()
    };
    assert!(complaint("hello").contains("not a message of the protocol"));
    assert!(complaint(r#"{"op": "advertise", "channels": []}"#).contains("no capability"));
    let unknown = r#"{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 9}]}"#;
    assert_eq!(complaint(unknown), "there is no channel 9");
    // A request of a page of another name, and one that is not for this protocol, are refused.
    let protocol = "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n";
    assert!(request(&address, "evil.example", protocol).0.starts_with("HTTP/1.1 403 "));
    assert!(request(&address, &address, "").0.starts_with("HTTP/1.1 400 "));
    // Nobody has subscribed yet: a second client does, and the run begins.
    let mut other = Client::connect(&address, "foxglove.sdk.v1");
    other.subscribe(&["/tf"]);
    let messages = other.messages();
    assert_eq!(messages.keys().map(String::as_str).collect::<Vec<_>>(), ["", "/tf"]);
    assert!(run.wait().unwrap().success());
}

#[test]
fn a_stream_follows_a_speed_and_needs_no_client() {
    let folder = scratch_folder();
    let (mut run, _) = start(folder.folder(), "rigid/ring_stack.ron", &["--wait", "0"]);
    assert!(run.wait().unwrap().success());
    // 0.025 s of simulated time at a twentieth of real time, of which the first step is not waited for.
    let (mut run, address) = start(folder.folder(), "rigid/ring_stack.ron", &["--speed", "0.05"]);
    let mut client = Client::connect(&address, "foxglove.sdk.v1");
    client.subscribe(&["/tf"]);
    let began = std::time::Instant::now();
    client.messages();
    assert!(began.elapsed() >= Duration::from_secs_f64(11.0 / 480.0 / 0.05), "{:?}", began.elapsed());
    assert!(run.wait().unwrap().success());
}
