// The connection to the server: commands with their replies, and binary messages.

const decoder = new TextDecoder();

/** A binary message: the length of the header, the header in JSON, and numbers of four bytes. */
function decoded(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(decoder.decode(new Uint8Array(buffer, 4, length)));
  return { ...header, buffer, offset: 4 + length };
}

export class Link {
  /** `changed(isOpen)` is called when the connection opens or ends. */
  constructor(changed) {
    this.changed = changed;
    this.waiting = new Map();
    this.next = 1;
    this.delay = 250;
    this.connect();
  }

  connect() {
    const url = new URL("socket", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    this.socket = new WebSocket(url);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.delay = 250;
      this.changed(true);
    };
    this.socket.onmessage = ({ data }) => {
      const reply = typeof data === "string" ? JSON.parse(data) : decoded(data);
      const wait = this.waiting.get(reply.id);
      this.waiting.delete(reply.id);
      if (!wait) return;
      if (reply.error) wait.fail(new Error(reply.error));
      else wait.done(reply);
    };
    this.socket.onclose = () => {
      for (const wait of this.waiting.values()) wait.fail(new Error("the connection ended"));
      this.waiting.clear();
      this.changed(false);
      this.delay = Math.min(2 * this.delay, 5000);
      setTimeout(() => this.connect(), this.delay);
    };
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Sends a command; the reply, or an error with the text of the server. */
  send(what, fields = {}) {
    const id = this.next++;
    return this.reply(id, () => this.socket.send(JSON.stringify({ id, do: what, ...fields })));
  }

  /** Sends files, `{name, bytes}` each. */
  sendFiles(files, at) {
    const id = this.next++;
    const lengths = files.map(({ name, bytes }) => [name, bytes.byteLength]);
    const header = new TextEncoder().encode(JSON.stringify({ id, do: "files", files: lengths, at }));
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, header.length, true);
    const message = new Blob([length, header, ...files.map(({ bytes }) => bytes)]);
    return this.reply(id, () => this.socket.send(message));
  }

  reply(id, send) {
    return new Promise((done, fail) => {
      if (!this.isOpen) {
        fail(new Error("there is no connection to the server"));
        return;
      }
      this.waiting.set(id, { done, fail });
      send();
    });
  }
}
