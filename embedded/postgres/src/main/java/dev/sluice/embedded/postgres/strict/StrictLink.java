package dev.sluice.embedded.postgres.strict;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * A refused statement is replaced by one that the server refuses, too, so that the server's session
 * is in the state in which it must be after an error. The server's error names the replacement; the
 * client gets the refusal instead of it.
 */
/** A client's connection, and the one that it has to the server. Two threads use it. */
final class StrictLink {
  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;
  private static final int CANCEL_REQUEST = 80877102;
  private static final String REPLACEMENT = "refused_statement_";
  private static final Pattern INDEX = Pattern.compile("INDEX", Pattern.CASE_INSENSITIVE);
  private static final Pattern REPLACED = Pattern.compile(REPLACEMENT + "\\d+");

  private final StrictProxy proxy;
  private final Socket client;
  private final Socket server;
  private final DataInputStream fromClient;
  private final DataOutputStream toServer;
  private final DataInputStream fromServer;
  private final DataOutputStream toClient;

  private final BlockState block = new BlockState();
  private final YugabyteSettings settings;
  private final CopyPieces pieces;

  /** By name; the unnamed one has an empty name. */
  private final Map<String, StatementText> prepared = new HashMap<>();

  private final Map<String, RefusedStatement> refusals = new ConcurrentHashMap<>();
  private int replaced;

  /** Writes since the client last asked for an answer. */
  private int writesTogether;

  /** The one that was sent last. */
  private volatile StatementText statement = StatementText.of("");

  /** The statement has waited for a lock of a row, and would read what was there before. */
  private boolean overtaken;

  /** What happens when the server has committed; null for nothing. */
  private volatile Fault afterCommit;

  StrictLink(StrictProxy proxy, Socket client, Socket server) throws IOException {
    this.proxy = proxy;
    this.settings = new YugabyteSettings(proxy.isReadCommitted(), proxy.cluster());
    this.client = client;
    this.server = server;
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    fromClient = new DataInputStream(new BufferedInputStream(client.getInputStream(), 65536));
    toServer = new DataOutputStream(new BufferedOutputStream(server.getOutputStream(), 65536));
    fromServer = new DataInputStream(new BufferedInputStream(server.getInputStream(), 65536));
    toClient = new DataOutputStream(new BufferedOutputStream(client.getOutputStream(), 65536));
    pieces = new CopyPieces(toServer);
  }

  void end() {
    pieces.end();
    end(client);
    end(server);
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It has ended.
    }
  }

  void passToServer() throws IOException {
    if (!passStartup()) {
      return;
    }
    while (true) {
      WireMessage message = WireMessage.read(fromClient);
      switch (message.type()) {
        case 'Q' -> query(message);
        case 'P' -> parse(message);
        case 'B' -> bind(message);
        case 'd', 'c' -> {
          if (!pieces.take(message)) {
            message.write(toServer);
          }
        }
        case 'S' -> {
          writesTogether = 0;
          message.write(toServer);
        }
        default -> message.write(toServer);
      }
      if (fromClient.available() == 0) {
        toServer.flush();
      }
    }
  }

  /** Returns false if the connection was for a request to cancel only. */
  private boolean passStartup() throws IOException {
    while (true) {
      int length = fromClient.readInt();
      int code = fromClient.readInt();
      byte[] rest = new byte[length - 8];
      fromClient.readFully(rest);
      if (code == SSL_REQUEST || code == GSS_REQUEST) {
        toClient.write('N');
        toClient.flush();
        continue;
      }
      toServer.writeInt(length);
      toServer.writeInt(code);
      toServer.write(rest);
      toServer.flush();
      if (code != CANCEL_REQUEST) {
        return true;
      }
      // The server closes it when it has the request, and passToClient ends with it.
      while (fromClient.read() >= 0) {
        continue;
      }
      return false;
    }
  }

  private void query(WireMessage message) throws IOException {
    String text = message.text(0);
    StatementText sql = StatementText.of(text);
    boolean inBlock = block.isOpen();
    Optional<String> other = replacement(sql);
    if (other.isEmpty()) {
      other = fault(sql);
    }
    if (other.isPresent()) {
      WireMessage.of('Q', new byte[0], other.get()).write(toServer);
      return;
    }
    block.note(sql);
    statement = sql;
    WireMessage rewritten = WireMessage.of('Q', new byte[0], rewritten(text, sql));
    if (!inBlock && sql.begins("copy") && sql.bare().contains("from stdin")) {
      pieces.begin(rewritten, sql.bare(), settings.number(YugabyteSettings.COPY_ROWS));
    }
    rewritten.write(toServer);
  }

  private void parse(WireMessage message) throws IOException {
    int end = message.end(0);
    String name = message.text(0);
    String text = message.text(end + 1);
    StatementText sql = StatementText.of(text);
    Optional<String> other = replacement(sql);
    prepared.put(name, sql);
    WireMessage.of(
            'P',
            message.after(message.end(end + 1) + 1),
            name,
            other.isPresent() ? other.get() : rewritten(text, sql))
        .write(toServer);
  }

  private String rewritten(String text, StatementText sql) {
    String known = settings.rewritten(text);
    return !block.isOpen() && sql.begins("create index", "create unique index")
        ? INDEX.matcher(known).replaceFirst("INDEX CONCURRENTLY")
        : known;
  }

  private void bind(WireMessage message) throws IOException {
    int end = message.end(0);
    StatementText sql = prepared.getOrDefault(message.text(end + 1), StatementText.of(""));
    Optional<RefusedStatement> batch = refusalOfBatch(sql);
    Optional<String> other =
        batch.isPresent() ? Optional.of(replaced(batch.get(), sql)) : fault(sql);
    if (other.isPresent()) {
      WireMessage.of('B', new byte[6], message.text(0), other.get()).write(toServer);
      return;
    }
    block.note(sql);
    statement = sql;
    message.write(toServer);
  }

  /** Writes that come together as the first of a transaction, and that the server may repeat. */
  private Optional<RefusedStatement> refusalOfBatch(StatementText sql) {
    if (sql.isWrite()) {
      writesTogether++;
    }
    return writesTogether > 1
            && !block.isAnswered()
            && settings.number(YugabyteSettings.RETRIES) > 0
        ? Optional.of(
            new RefusedStatement(
                "0A000", "a batch is the first of its transaction, and may be retried in part"))
        : Optional.empty();
  }

  private Optional<String> replacement(StatementText sql) {
    proxy.note(sql);
    Optional<RefusedStatement> refusal = StrictRules.refusal(sql, block);
    refusal.ifPresent(each -> proxy.noteRefused(each, sql));
    return refusal.map(each -> replaced(each, sql));
  }

  /** Does harm to the connection, or returns what is sent instead of the statement. */
  private Optional<String> fault(StatementText sql) throws IOException {
    proxy.prepare(sql);
    Optional<RefusedStatement> lasting = proxy.plan().lasting(sql);
    if (lasting.isPresent()) {
      return Optional.of(replaced(lasting.get(), sql));
    }
    Optional<Fault> fault = proxy.plan().next(sql);
    if (fault.isEmpty()) {
      return Optional.empty();
    }
    if (fault.get() == Fault.LOST_BEFORE) {
      throw new IOException("the connection is to break");
    }
    if (fault.get().isAfterCommit()) {
      afterCommit = fault.get();
    }
    return fault.get().refusal().map(each -> replaced(each, sql));
  }

  private String replaced(RefusedStatement refusal, StatementText sql) {
    String name = REPLACEMENT + ++replaced;
    refusals.put(name, refusal);
    return name;
  }

  void passToClient() throws IOException {
    while (true) {
      WireMessage message = WireMessage.read(fromServer);
      if (message.type() == 'Z') {
        block.ready(message.body()[0] != 'I');
      }
      if (message.type() == 'N' && isWait(message)) {
        overtaken |= !(statement.isLockOfOneRow() && settings.isOn(YugabyteSettings.SINGLE_LOCKS));
        proxy.noteWait();
        continue;
      }
      if (message.type() == 'C' && overtaken) {
        overtaken = false;
        message = Fault.CONFLICT.refusal().orElseThrow().toMessage();
      }
      if (afterCommit != null && message.type() == 'C' && isCommit(message)) {
        if (afterCommit == Fault.LOST_AFTER_COMMIT) {
          return;
        }
        afterCommit = null;
        message = Fault.STORAGE_TIMEOUT.refusal().orElseThrow().toMessage();
      }
      Optional<WireMessage> passed = pieces.pass(shown(message));
      if (passed.isPresent()) {
        passed.get().write(toClient);
      }
      if (fromServer.available() == 0) {
        toClient.flush();
      }
    }
  }

  /** Whether what is done has been committed with it. */
  private boolean isCommit(WireMessage done) {
    return done.text(0).equals("COMMIT") || statement.isDefinition() && !block.isOpen();
  }

  /** A server that logs waits for locks, and whose clients get its log, says it as a notice. */
  private static boolean isWait(WireMessage notice) {
    return new String(notice.body(), StandardCharsets.UTF_8)
        .matches("(?s).*still waiting for \\w+ on (transaction|tuple).*");
  }

  /** The message that the client gets instead. */
  private WireMessage shown(WireMessage message) {
    if (message.type() == 'S' && message.text(0).equals("server_version")) {
      return WireMessage.of('S', new byte[0], "server_version", proxy.version());
    }
    if (message.type() == 'E') {
      Matcher found = REPLACED.matcher(new String(message.body(), StandardCharsets.UTF_8));
      if (found.find() && refusals.containsKey(found.group())) {
        return refusals.remove(found.group()).toMessage();
      }
    }
    return message;
  }
}
