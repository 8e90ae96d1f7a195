package dev.sluice.embedded.postgres.strict;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A PostgreSQL server as strict as YugabyteDB, for tests of statements that YugabyteDB gets. It
 * speaks the wire protocol between clients and a server of PostgreSQL:
 *
 * <ul>
 *   <li>it refuses what YugabyteDB refuses, see {@link StrictRules};
 *   <li>it commits a COPY outside of a block in pieces, unless the session has switched that off;
 *   <li>it refuses a batch of writes that begins a transaction, since YugabyteDB may retry a part
 *       of it; a session can switch such retries off;
 *   <li>it makes writes and locks fail that waited for another transaction. A lock on one row may
 *       succeed: the session can allow it to read the row's state after the wait. The server must
 *       report waits to its clients: {@code log_lock_waits}, {@code client_min_messages};
 *   <li>it creates an index outside of a block while others write, so that one that fails stays and
 *       is INVALID;
 *   <li>it lists the servers of a cluster, which others of its kind may be, and their figures;
 *   <li>it injects errors and breaks connections on request;
 *   <li>it records each statement.
 * </ul>
 *
 * <p>It is not YugabyteDB: statements that it accepts may still fail there. Threadsafe.
 */
public final class StrictProxy implements AutoCloseable {
  private final ServerSocket listening;
  private final Thread accepting;
  private final int serverPort;
  private final FaultPlan faults;
  private volatile boolean readCommitted = true;

  /** A current version of YugabyteDB, in the server's own format. */
  private volatile String version = "15.12-YB-2025.2.0.0-b0";

  private volatile List<ListedServer> servers;

  private volatile List<MeasuredServer> measured;

  private volatile Consumer<StatementText> before = sql -> {};

  private final AtomicInteger waits = new AtomicInteger();
  private final Set<StrictLink> open = ConcurrentHashMap.newKeySet();
  private final Set<String> statements = new ConcurrentSkipListSet<>();
  private final Set<String> refused = new ConcurrentSkipListSet<>();

  /**
   * @param serverPort of the PostgreSQL server, on loopback
   * @param seed decides which statements fail, once {@link #fail} is asked
   */
  public StrictProxy(int serverPort, long seed) throws IOException {
    this.serverPort = serverPort;
    this.faults = new FaultPlan(seed);
    this.listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    this.servers =
        List.of(ListedServer.primary(listening.getLocalPort(), "cloud1.datacenter1.rack1"));
    this.measured = List.of(MeasuredServer.busy(listening.getLocalPort(), 10));
    this.accepting = start(this::accept);
  }

  /**
   * From now on, new sessions report snapshot isolation for READ COMMITTED, like a server without
   * the flag.
   */
  public void withoutReadCommitted() {
    readCommitted = false;
  }

  /** From now on, new sessions report this version of the server. */
  public void withVersion(String other) {
    version = other;
  }

  /** From now on, lists these servers of the cluster. */
  public void list(List<ListedServer> others) {
    servers = List.copyOf(others);
  }

  /** From now on, reports these figures of the cluster's servers; none: it cannot report any. */
  public void measure(List<MeasuredServer> figures) {
    measured = List.copyOf(figures);
  }

  ClusterFunctions cluster() {
    return new ClusterFunctions(() -> servers, () -> measured);
  }

  String version() {
    return version;
  }

  boolean isReadCommitted() {
    return readCommitted;
  }

  public int port() {
    return listening.getLocalPort();
  }

  /**
   * From now on, this many of a thousand statements fail, or lose their connection; of commits five
   * times as many.
   */
  public void fail(int perThousand) {
    faults.set(perThousand);
  }

  /** From now on, this many of a thousand statements that create, alter or drop an object fail. */
  public void failDefinitions(int perThousand) {
    faults.setDefinitions(perThousand);
  }

  /**
   * From now on, this many of a thousand statements, commits and definitions fail as after a
   * conflict with another transaction or an alteration.
   */
  public void overtake(int perThousand) {
    faults.setOvertaken(perThousand);
  }

  /**
   * The next statement with this beginning fails, once.
   *
   * @param begin in lower case, with {@code name} for each quoted name
   */
  public void failOnce(String begin, Fault fault) {
    faults.setOnce(begin, fault);
  }

  /**
   * From now on, each statement with this beginning fails with an internal error that is not known
   * to be temporary.
   *
   * @param begin in lower case, with {@code name} for each quoted name
   */
  public void failEach(String begin) {
    faults.setEach(
        begin, Optional.of(new RefusedStatement("XX000", "unexpected state of the storage")));
  }

  /** The end of {@link #failEach}. */
  public void failNone() {
    faults.setEach("", Optional.empty());
  }

  /**
   * From now on this runs before each statement with this beginning, on a thread of its connection.
   *
   * @param begin in lower case, with {@code name} for each quoted name
   */
  public void beforeEach(String begin, Runnable what) {
    before =
        sql -> {
          if (sql.begins(begin)) {
            what.run();
          }
        };
  }

  void prepare(StatementText sql) {
    before.accept(sql);
  }

  /** How many faults of each kind there were. */
  public Map<Fault, Integer> faults() {
    return faults.done();
  }

  /** How many clients are connected. */
  public int connections() {
    return open.size();
  }

  /** How often a statement waited for another transaction. */
  public int waits() {
    return waits.get();
  }

  void noteWait() {
    waits.incrementAndGet();
  }

  /** The statements that were sent, each once, without literals and numbers. */
  public SortedSet<String> statements() {
    return new TreeSet<>(statements);
  }

  /** The refusals, each once: the message and the statement. */
  public SortedSet<String> refused() {
    return new TreeSet<>(refused);
  }

  /** Ends all connections, and opens no more. */
  @Override
  public void close() throws IOException {
    listening.close();
    try {
      // A connection may have been accepted just before.
      accepting.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    open.forEach(StrictLink::end);
  }

  void note(StatementText sql) {
    statements.add(sql.normalised());
  }

  void noteRefused(RefusedStatement refusal, StatementText sql) {
    refused.add(refusal.message() + ": " + sql.normalised());
  }

  FaultPlan plan() {
    return faults;
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        try {
          Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
          StrictLink link = new StrictLink(this, client, server);
          open.add(link);
          start(() -> run(link, link::passToServer));
          start(() -> run(link, link::passToClient));
        } catch (IOException e) {
          // The server cannot be reached.
          client.close();
        }
      } catch (IOException e) {
        // Closed; or this client has gone.
      }
    }
  }

  private interface Passing {
    void pass() throws IOException;
  }

  private void run(StrictLink link, Passing passing) {
    try {
      passing.pass();
    } catch (IOException e) {
      // One side has ended.
    } finally {
      link.end();
      open.remove(link);
    }
  }

  private static Thread start(Runnable work) {
    Thread thread = new Thread(work, "strict proxy");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
