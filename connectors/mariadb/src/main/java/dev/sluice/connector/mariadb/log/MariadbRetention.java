package dev.sluice.connector.mariadb.log;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.LogReading;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.load.SnapshotOpening;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The binary log, which the server keeps for some time for all its readers. Nothing is created for
 * a task: this process alone knows how far it has read. Used by one thread at a time.
 */
public final class MariadbRetention implements LogRetention {
  private static final Logger LOG = LoggerFactory.getLogger(MariadbRetention.class);

  /**
   * A name in place of a slot's: a task has nothing on the source by which others could identify
   * it.
   */
  public static final String NAME = "binlog";

  private final MariadbServer server;
  private final ReadProgress progress;
  private final SnapshotOpening snapshots;
  private final HistoryProof history;
  private final CapturedServer captured;

  private record Log(BinlogFiles files, LogLimits limits) {}

  public MariadbRetention(
      MariadbServer server,
      ReadProgress progress,
      SnapshotOpening snapshots,
      HistoryProof history,
      CapturedServer captured) {
    this.server = server;
    this.progress = progress;
    this.snapshots = snapshots;
    this.history = history;
    this.captured = captured;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String kind() {
    return "binary log";
  }

  @Override
  public String shown() {
    return kind();
  }

  @Override
  public String limitedBy() {
    return Flavour.ofType(server.endpoint().type()) == Flavour.MYSQL
        ? "binlog_expire_logs_seconds"
        : "binlog_expire_logs_seconds, or max_binlog_total_size";
  }

  @Override
  public String fixOfGrowth() {
    return "The server removes it by "
        + limitedBy()
        + ", also what the task still needs: find out why the task is behind, or raise that on the"
        + " source";
  }

  @Override
  public Problem namedOtherThan(String own) {
    return new Problem(
        "task",
        "it read another kind of source before, by " + own,
        "a source of the same type",
        "Set source.type and source.url back, or change the task's name: task");
  }

  @Override
  public Optional<RetentionState> state() {
    Optional<Position> needed = progress.position();
    return needed.isEmpty() ? Optional.empty() : state(needed.get(), log());
  }

  private Optional<RetentionState> state(Position needed, Log log) {
    BinlogFiles files = log.files();
    BinlogPosition from = BinlogPosition.of(needed);
    return Optional.of(
        new RetentionState(
            needed,
            OptionalLong.empty(),
            !files.has(from),
            files.bytesAfter(from),
            files.bytesAfter(from),
            log.limits().room(files, from),
            false,
            expiry(from, log)));
  }

  private Optional<Duration> expiry(BinlogPosition from, Log log) {
    Optional<String> next = log.files().behind(from);
    if (next.isEmpty() || log.limits().expireSeconds() == 0) {
      return Optional.empty();
    }
    try {
      return log.limits().expiry(history.begun(next.get(), captured.timeline()));
    } catch (SluiceException e) {
      // Ignored: the capture reports that the log cannot be read.
      LOG.debug("when {} was begun is not known", next.get(), e);
      return Optional.empty();
    }
  }

  /** Empty: the log belongs to no task. */
  @Override
  public Optional<FoundRetention> found() {
    return Optional.empty();
  }

  @Override
  public LogReading reading() {
    Log log = log();
    return new LogReading(
        log.files().end().map(end -> end.on(captured.timeline()).position()).orElse(Position.ZERO),
        progress.position().flatMap(needed -> state(needed, log)),
        Optional.empty());
  }

  /**
   * Does not wait for open transactions, which are logged after the snapshot. It waits for prepared
   * XA transactions: the log has their changes before the snapshot, which does not show them.
   */
  @Override
  public SourceSnapshot create(Duration timeout) {
    if (files().end().isEmpty()) {
      throw new SluiceException.Fatal(
          new Problem(
              "source " + server,
              "it writes no binary log",
              "log_bin = mariadb-bin in its configuration",
              "Switch the binary log on, and restart the server"));
    }
    SourceSnapshot snapshot = snapshots.openProven(timeout);
    progress.begin(snapshot.position());
    return snapshot;
  }

  /** The server keeps its log for all readers, including what was written before the task began. */
  @Override
  public boolean hasFrom(Position position) {
    return files().has(BinlogPosition.of(position));
  }

  @Override
  public Position named(String text) {
    return history.named(text);
  }

  @Override
  public Position before(Instant commitTime, Position fence) {
    return history.before(commitTime, files(), BinlogPosition.of(fence));
  }

  @Override
  public boolean isAnothers(SluiceException failure) {
    return false;
  }

  @Override
  public boolean drop() {
    return progress.forget();
  }

  /**
   * Does nothing: any number of readers may read the log, and in the journal the records of earlier
   * ones can be distinguished.
   */
  @Override
  public void release() {
    // Nothing holds the log.
  }

  private BinlogFiles files() {
    return log().files();
  }

  private Log log() {
    try {
      return server.ask(
          query -> {
            captured.require(LogServer.identity(query));
            return new Log(BinlogFiles.read(query), LogLimits.read(query));
          });
    } catch (SQLException e) {
      throw MariadbFailures.classify("list the binary logs of " + server, e);
    }
  }
}
