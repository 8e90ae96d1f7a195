package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.journal.CaptureFailure;
import dev.sluice.connector.journal.EventBatch;
import dev.sluice.connector.journal.EventQueue;
import dev.sluice.connector.journal.IdleProgress;
import dev.sluice.connector.journal.Publisher;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.stream.LogFailures;
import dev.sluice.connector.mariadb.capture.table.Cascades;
import dev.sluice.connector.mariadb.capture.table.FollowedDdl;
import dev.sluice.connector.mariadb.capture.table.KnownTables;
import dev.sluice.connector.mariadb.capture.table.LastTables;
import dev.sluice.connector.mariadb.capture.table.MysqlTables;
import dev.sluice.connector.mariadb.capture.table.NewNames;
import dev.sluice.connector.mariadb.capture.table.NullableDates;
import dev.sluice.connector.mariadb.capture.table.NumberedTables;
import dev.sluice.connector.mariadb.capture.table.PresentTables;
import dev.sluice.connector.mariadb.capture.table.TellingTables;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Captures a MariaDB source: one thread reads and decodes the binary log, another one publishes to
 * the journal. At a place between two transactions that one also journals fences, and the place
 * itself if the source is idle. The source stores no position: the journal has it.
 */
public final class MariadbCapture implements Capture {
  private static final Logger LOG = LoggerFactory.getLogger(MariadbCapture.class);

  /** Bytes of the log that may wait for the publisher. */
  private static final long WAITING_BYTES = 32L * 1024 * 1024;

  /** How often Kafka's acknowledgements and fences are checked while the source is idle. */
  private static final Duration PAUSE = Duration.ofMillis(10);

  private final LogServer server;
  private final CapturedServer captured;
  private final Publisher publisher;
  private final JournaledFences fences;
  private final EventQueue events = new EventQueue(WAITING_BYTES);
  private final BinlogDecoder decoder;
  private final LastTables lastTables;
  private final BinlogReader reader;
  private final Thread thread;
  private final CaptureFailure failure = new CaptureFailure(LOG);

  private final MonotonicClock clock = new MonotonicClock();
  private final IdleProgress idle;
  private boolean open;

  /** Of {@link #read}; used by the publishing thread. */
  private String bookmark;

  private Position journaled;
  private volatile Position read;
  private volatile boolean closing;

  /**
   * The parameters of a source's captures.
   *
   * @param task its name
   * @param endpoint address and login, with the options {@code sslMode} and {@code serverSslCert}
   * @param server asked just before
   * @param history what the server has at the start, which was proven to be the start's
   * @param policy for values that PostgreSQL does not have
   * @param memory of the task, which outlives a capture
   */
  public record Setup(
      String task,
      Endpoint endpoint,
      LogServer server,
      LogHistory history,
      ValuePolicy policy,
      LogMemory memory) {
    public Setup {
      Objects.requireNonNull(task, "task");
      Objects.requireNonNull(endpoint, "endpoint");
      Objects.requireNonNull(server, "server");
      Objects.requireNonNull(history, "history");
      Objects.requireNonNull(policy, "policy");
      Objects.requireNonNull(memory, "memory");
    }
  }

  /**
   * Starts a capture.
   *
   * @param mysql read before the server was asked
   * @param present asks the server about its tables
   * @throws SluiceException if the term's first record cannot be written to the journal
   */
  public MariadbCapture(
      Setup setup,
      CaptureRequest request,
      CaptureScope scope,
      MysqlTables mysql,
      Supplier<PresentTables> present) {
    Position from = setup.memory().start().from(request.start());
    BinlogPosition start = BinlogPosition.of(from);
    this.server = setup.server().on(start.timeline());
    this.captured = setup.memory().server();
    setup.memory().fences().continueAfter(from);
    this.journaled = from;
    this.read = from;
    this.idle = new IdleProgress(request.idleAfter(), from, clock.instant());
    Optional<LogBookmark> behind = setup.memory().start().bookmark(from);
    this.bookmark = behind.map(LogBookmark::toString).orElse("");
    this.publisher = begin(request, from);
    this.fences = new JournaledFences(setup.memory().fences(), setup.task(), server, publisher);
    this.lastTables = setup.memory().lastTables();
    this.decoder =
        decoder(setup, scope, start, mysql, present)
            .naming(
                watched(
                    setup.memory().stop(),
                    behind.map(LoggedTransactions::behind).orElseGet(() -> gtids(setup, start))));
    this.thread = new Thread(this::publish, "sluice-capture-" + setup.task());
    this.reader =
        new BinlogReader(
            setup.task(),
            setup.endpoint(),
            start.fileName(server.base()),
            decoder,
            events,
            this::ended);
    captured.begin(server, start.timeline());
    thread.start();
  }

  /**
   * Begins the term. On another server the journal must have nothing that was not proven, and gets
   * the place at which it goes on: the next start begins there.
   */
  private Publisher begin(CaptureRequest request, Position from) {
    Publisher begun = new Publisher(request);
    try {
      if (!from.equals(request.start())) {
        SwitchProof.require(request, begun.begunAt());
        begun.progress(from, server.micros(Instant.now()), bookmark);
      }
      return begun;
    } catch (RuntimeException e) {
      begun.close();
      throw e;
    }
  }

  private BinlogDecoder decoder(
      Setup setup,
      CaptureScope scope,
      BinlogPosition start,
      MysqlTables mysql,
      Supplier<PresentTables> present) {
    KnownTables known =
        new KnownTables(
            scope,
            server.anyCase(),
            Optional.of(server.end()),
            new TellingTables(mysql.ofInnodb(), Optional.of(server.end())),
            () -> present.get().on(start.timeline()),
            new LogPast(server, setup.endpoint(), scope, start));
    NumberedTables tables =
        new NumberedTables(
            server.flavour(),
            known,
            scope,
            server.collations(),
            setup.policy(),
            Cascades.of(
                mysql.foreignKeys(),
                table -> known.isCaptured(table) || scope.selection().test(table)));
    NewNames names =
        new NewNames(
            table ->
                table.schema().equals(setup.endpoint().database()) && scope.selection().test(table),
            scope.gainedNames());
    return new BinlogDecoder(
        server.flavour(),
        start,
        setup.history(),
        tables.learning(lastTables.get()),
        new NullableDates(new FollowedDdl(known, names), setup.policy()),
        setup.memory().preparations());
  }

  private static LoggedTransactions watched(GtidStop stop, LoggedTransactions gtids) {
    return stop.isAwaited() ? stop.beside(gtids) : gtids;
  }

  private LoggedTransactions gtids(Setup setup, BinlogPosition start) {
    return server.flavour() == Flavour.MYSQL
        ? LoggedGtidSet.upTo(server, new LogBeginnings(setup.endpoint()), start, setup.history())
        : LoggedGtids.upTo(server.gtids(), server.end());
  }

  @Override
  public CaptureProgress progress() {
    return publisher.progress();
  }

  /** The position up to which the log was read, including changes that are not captured. */
  public Position read() {
    return read;
  }

  @Override
  public Optional<SluiceException> failure() {
    return failure.get();
  }

  @Override
  public void close() {
    closing = true;
    events.close();
    thread.interrupt();
    if (reader.close()) {
      decoder.knownTables().ifPresent(lastTables::keep);
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    publisher.close();
    captured.end(server);
  }

  private void publish() {
    try {
      while (!closing && failure.get().isEmpty()) {
        Optional<EventBatch> batch = events.take(PAUSE);
        if (batch.isPresent()) {
          for (SourceEvent event : batch.get().events()) {
            publish(event);
          }
        }
        if (!open) {
          fences.publish(read, bookmark).ifPresent(end -> journaled = end);
          sendProgress();
        }
        publisher.takeAcknowledged().ifPresent(fences::acknowledged);
        captured.left().ifPresent(this::fail);
      }
    } catch (InterruptedException e) {
      fail(new SluiceException.Retryable("the capture was interrupted", e));
    } catch (Throwable e) {
      // Errors too: if the thread ended silently, the reader would wait forever.
      fail(e);
    }
    reader.stop();
    events.close();
  }

  private void publish(SourceEvent event) {
    if (event instanceof SourceEvent.Changed changed) {
      publisher.change(changed.change());
      open = true;
    } else if (event instanceof SourceEvent.Committed committed) {
      // Without changes it only says how far the log was read.
      bookmark = committed.bookmark();
      publisher.commit(
          committed.position(), committed.commitMicros(), committed.transactionId(), bookmark);
      if (open) {
        journaled = committed.position();
      }
      open = false;
      read = committed.position();
    } else {
      throw new IllegalStateException("BUG: the decoder gives " + event);
    }
  }

  /** Lets the start of an idle task's next run advance, so that the server may delete files. */
  private void sendProgress() {
    if (idle.isDue(publisher.progress().acknowledged(), clock.instant())
        && read.isAfter(journaled)) {
      journaled = read;
      publisher.progress(read, server.micros(Instant.now()), bookmark);
    }
  }

  private void ended(Throwable error) {
    fail(error);
    events.close();
  }

  private void fail(Throwable error) {
    if (!closing) {
      failure.set(LogFailures.classify(error));
    }
  }
}
