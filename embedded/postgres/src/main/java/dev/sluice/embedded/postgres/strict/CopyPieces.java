package dev.sluice.embedded.postgres.strict;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/*
 * The client sees one COPY. The server gets several, one after the other, each of which commits:
 * what it answers to all but the last one stays here.
 */
/**
 * Commits a COPY outside of a block in pieces, as YugabyteDB does. Rows in binary format are not
 * divided. The thread that reads from the client begins and takes; the one that reads from the
 * server passes.
 */
final class CopyPieces {
  private static final WireMessage DONE = new WireMessage('c', new byte[0]);
  private static final WireMessage ENDED = new WireMessage('X', new byte[0]);

  private final DataOutputStream toServer;
  private final BlockingQueue<WireMessage> answers = new LinkedBlockingQueue<>();

  /** The COPY; null while none is divided. */
  private WireMessage copy;

  private int rowsOfPiece;
  private int rows;

  /** Whether the answers are for this class. */
  private volatile boolean hidden;

  private volatile boolean failed;
  private volatile long committed;

  CopyPieces(DataOutputStream toServer) {
    this.toServer = toServer;
  }

  /**
   * A COPY goes to the server.
   *
   * @param limit rows of a piece; 0 if all rows are one
   */
  void begin(WireMessage query, String bare, int limit) {
    copy = limit == 0 || bare.contains("binary") ? null : query;
    rowsOfPiece = limit;
    rows = 0;
    committed = 0;
    failed = false;
  }

  /** Takes data, or its end. Returns false if it is to be passed as it is. */
  boolean take(WireMessage message) throws IOException {
    if (copy == null) {
      return false;
    }
    if (message.type() == 'c') {
      copy = null;
      return failed;
    }
    byte[] bytes = message.body();
    int from = 0;
    for (int i = 0; i < bytes.length && !failed; i++) {
      if (bytes[i] != '\n') {
        continue;
      }
      if (++rows == rowsOfPiece) {
        send(bytes, from, i + 1);
        from = i + 1;
        commit();
      }
    }
    if (!failed) {
      send(bytes, from, bytes.length);
    }
    return true;
  }

  private void send(byte[] bytes, int from, int to) throws IOException {
    byte[] piece = new byte[to - from];
    System.arraycopy(bytes, from, piece, 0, piece.length);
    new WireMessage('d', piece).write(toServer);
  }

  private void commit() throws IOException {
    rows = 0;
    hidden = true;
    DONE.write(toServer);
    toServer.flush();
    WireMessage answer = next();
    if (failed) {
      return;
    }
    String[] tag = answer.text(0).split(" ");
    committed += Long.parseLong(tag[tag.length - 1]);
    next();
    copy.write(toServer);
    toServer.flush();
    next();
    hidden = false;
  }

  private WireMessage next() throws IOException {
    try {
      WireMessage answer = answers.take();
      if (answer == ENDED) {
        throw new IOException("the server has ended the connection");
      }
      return answer;
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a proxy", e);
    }
  }

  /** The connection ends, and whoever waits for an answer with it. */
  void end() {
    answers.add(ENDED);
  }

  /** What the client gets of the server's answer; empty if nothing. */
  Optional<WireMessage> pass(WireMessage message) {
    if (hidden && message.type() == 'E') {
      hidden = false;
      failed = true;
      answers.add(message);
      return Optional.of(message);
    }
    if (hidden && (message.type() == 'C' || message.type() == 'Z' || message.type() == 'G')) {
      answers.add(message);
      return Optional.empty();
    }
    if (committed > 0 && message.type() == 'C') {
      String[] tag = message.text(0).split(" ");
      long all = committed + Long.parseLong(tag[tag.length - 1]);
      committed = 0;
      return Optional.of(WireMessage.of('C', new byte[0], "COPY " + all));
    }
    return Optional.of(message);
  }
}
