package dev.sluice.connector.generic;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.LogReading;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.api.source.TaskMark;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the source keeps for the connector: with PostgreSQL the slot that Debezium makes, elsewhere
 * nothing of the task's own. How much log it holds is not known. Each call is from one thread.
 */
final class OffsetRetention implements LogRetention {
  /** What a task has on a source where it has nothing. */
  static final String NAME = "debezium";

  private final JdbcServer server;
  private final CaptureState state;
  private final String name;

  OffsetRetention(JdbcServer server, CaptureState state) {
    this(
        server,
        state,
        server.config().connector() == KnownConnector.POSTGRESQL
            ? server.config().properties().get("slot.name")
            : NAME);
  }

  OffsetRetention(JdbcServer server, CaptureState state, String name) {
    this.server = server;
    this.state = state;
    this.name = name;
  }

  /** Whether the task has something on the source. */
  private boolean isSlot() {
    return server.config().connector() == KnownConnector.POSTGRESQL;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String kind() {
    return isSlot() ? "slot" : "log";
  }

  @Override
  public String shown() {
    return isSlot() ? "slot " + name + ", by Debezium" : "log, by Debezium";
  }

  @Override
  public String limitedBy() {
    return isSlot() ? "max_slot_wal_keep_size" : "the source's retention of its log";
  }

  @Override
  public Problem namedOtherThan(String own) {
    return new Problem(
        "source.debezium",
        "it reads by %s, and the task has read by %s".formatted(name, own),
        "the connector and names that the task began with",
        "Set source.type, connector.class and slot.name back, or change the task's name: task");
  }

  @Override
  public Optional<RetentionState> state() {
    return state
        .position()
        .map(
            position ->
                new RetentionState(
                    position, OptionalLong.empty(), false, 0, 0, OptionalLong.empty(), false));
  }

  @Override
  public Optional<FoundRetention> found() {
    return isSlot()
        ? new PostgresSlot(server, name).find().map(ExistingSlot::new)
        : Optional.empty();
  }

  @Override
  public LogReading reading() {
    return new LogReading(state.position().orElse(Position.ZERO), state(), Optional.empty());
  }

  /** Nothing is made here: Debezium makes slot and snapshot when its capture starts. */
  @Override
  public SourceSnapshot create(Duration timeout) {
    Position begin = AttemptPosition.beginning(Instant.now());
    state.begin(begin);
    return new DebeziumSnapshot(begin);
  }

  @Override
  public Position before(Instant commitTime, Position fence) {
    throw new IllegalStateException("BUG: a start time that was not refused");
  }

  @Override
  public boolean isAnothers(SluiceException failure) {
    return false;
  }

  @Override
  public boolean drop() {
    boolean known = state.forget();
    return isSlot() ? new PostgresSlot(server, name).drop() : known;
  }

  /** A connector's sessions end with its process. */
  @Override
  public void release() {
    // Nothing holds it: a slot that is still read is refused by the server, and tried again.
  }

  /** A slot of the name that Debezium would use. */
  private final class ExistingSlot implements FoundRetention {
    private final PostgresSlot.Found found;

    ExistingSlot(PostgresSlot.Found found) {
      this.found = found;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean isForeignTo(TaskMark mark) {
      return !"pgoutput".equals(found.plugin())
          || !server.config().endpoint().database().equals(found.database());
    }

    @Override
    public Problem leftAlone() {
      return new Problem(
          "replication slot " + name,
          "it is of plugin %s and database %s, so it is not this task's"
              .formatted(found.plugin(), found.database()),
          "no slot of this name",
          "Choose another slot.name in source.debezium.properties");
    }

    @Override
    public Problem notRecorded(boolean loads) {
      return new Problem(
          "replication slot " + name,
          "it exists, and the target has no record that this task created it",
          "no slot of this name: Debezium's snapshot fits only a slot that it makes itself",
          "Choose another slot.name in source.debezium.properties. Drop the slot only if nobody"
              + " reads it any more");
    }

    @Override
    public String toString() {
      return "replication slot " + name;
    }
  }
}
