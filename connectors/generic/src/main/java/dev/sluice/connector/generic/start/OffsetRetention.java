package dev.sluice.connector.generic.start;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.LogReading;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.config.ConnectorProperties;
import dev.sluice.connector.generic.database.PostgresSlot;
import dev.sluice.connector.generic.database.SlotClaim;
import dev.sluice.connector.journal.SourceNotes;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the source keeps for the connector: with PostgreSQL the slot that Debezium makes, elsewhere
 * nothing of the task's own. How much log it holds is not known. Each call is from one thread.
 */
public final class OffsetRetention implements LogRetention {
  /** What a task has on a source where it has nothing. */
  static final String NAME = "debezium";

  private final JdbcServer server;
  private final CaptureState state;
  private final Optional<SlotClaim> claim;
  private final StartPlaces places;

  /** The failure of a creation for which another task has the name; else null. */
  private SluiceException taken;

  /**
   * @param claim of the task's slot; empty where the task has nothing on the source
   * @param places at which the task may begin
   */
  public OffsetRetention(
      JdbcServer server, CaptureState state, Optional<SlotClaim> claim, StartPlaces places) {
    this.server = server;
    this.state = state;
    this.claim = claim;
    this.places = places;
  }

  private PostgresSlot slot() {
    return new PostgresSlot(server, name());
  }

  @Override
  public String name() {
    return claim.map(SlotClaim::slot).orElse(NAME);
  }

  @Override
  public String kind() {
    return claim.isPresent() ? "slot" : "log";
  }

  @Override
  public String shown() {
    return claim.isPresent() ? "slot " + name() + ", by Debezium" : "log, by Debezium";
  }

  @Override
  public String limitedBy() {
    return claim.isPresent() ? "max_slot_wal_keep_size" : "the source's retention of its log";
  }

  @Override
  public Problem namedOtherThan(String own) {
    return new Problem(
        "source.debezium",
        "it reads by %s, and the task has read by %s".formatted(name(), own),
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
    if (claim.isEmpty()) {
      return Optional.empty();
    }
    Optional<PostgresSlot.Found> slot = slot().find();
    Optional<SlotClaim.Holder> another = claim.get().another();
    return slot.isEmpty() && another.isEmpty()
        ? Optional.empty()
        : Optional.of(new NamedSlot(slot, another));
  }

  @Override
  public LogReading reading() {
    return new LogReading(state.position().orElse(Position.ZERO), state(), Optional.empty());
  }

  /**
   * Nothing is made here: Debezium makes slot and snapshot when its capture starts. Until then, and
   * as long as it runs, the claim keeps the name for this task.
   */
  @Override
  public SourceSnapshot create(Duration timeout) {
    claim.ifPresent(this::requireFree);
    Position begin = AttemptPosition.beginning(Instant.now());
    state.begin(begin);
    return new DebeziumSnapshot(begin);
  }

  private void requireFree(SlotClaim name) {
    try {
      name.take();
      slot()
          .find()
          .ifPresent(
              found -> {
                throw new SluiceException.Fatal(
                    new NamedSlot(Optional.of(found), Optional.empty()).notRecorded(true));
              });
    } catch (SluiceException.Fatal e) {
      taken = e;
      throw e;
    }
  }

  /**
   * A slot that was made for the task. One that is not there is never made: what the task was to
   * have of the log would be lost in silence.
   */
  @Override
  public boolean take() {
    if (state.position().isEmpty() && claim.isPresent() && server.config().takeSlot()) {
      places.requireKept();
      slot().find().ifPresent(found -> state.beginAt(found.offset(), Instant.now()));
    }
    return state.position().isPresent();
  }

  @Override
  public Position named(String text) {
    return state.beginAt(places.named(text), Instant.now());
  }

  /** The search has a fence of its own. */
  @Override
  public Position before(Instant commitTime, Position fence) throws InterruptedException {
    return state.beginAt(places.before(commitTime), Instant.now());
  }

  /** The definitions first: a statement that comes between is found in the log. */
  @Override
  public void keepStart(
      Collection<TableId> tables, Map<String, Object> client, JournalTopics topics) {
    if (state.place().isEmpty()) {
      return;
    }
    Position position = state.position().orElseThrow();
    SourceNotes notes = new SourceNotes(client, topics);
    CapturedDefinitions now = CapturedDefinitions.now(server, tables);
    places.requireSame(state.place().get(), tables);
    now.store(notes, position, 0);
    StartPlace.of(position, ConnectorProperties.topicPrefix(places.task()), state.place().get())
        .store(notes);
  }

  @Override
  public boolean isAnothers(SluiceException failure) {
    return failure == taken;
  }

  /**
   * @throws SluiceException.Fatal if another task has claimed it
   */
  @Override
  public boolean drop() {
    return drop(() -> {});
  }

  /**
   * A later daemon's capture may pause, and its claim with it. So the fence is asked while this
   * daemon has the claim: a later one that takes over after that ends the claim first.
   */
  @Override
  public boolean drop(Runnable fence) {
    boolean known = state.forget();
    if (claim.isEmpty()) {
      fence.run();
      return known;
    }
    return drop(claim.get(), fence);
  }

  private boolean drop(SlotClaim name, Runnable fence) {
    boolean held = name.isHeld();
    name.take();
    try {
      fence.run();
      return slot().drop(name);
    } finally {
      if (!held) {
        name.release();
      }
    }
  }

  /**
   * Ends the claim of an earlier daemon, which may be frozen. A slot that is still read is refused
   * by the server, and tried again.
   */
  @Override
  public void release() {
    claim.ifPresent(SlotClaim::endEarlier);
  }

  /**
   * A slot of the name that Debezium would use, or the claim of one.
   *
   * @param another task that has claimed it
   */
  private final class NamedSlot implements FoundRetention {
    private final Optional<PostgresSlot.Found> slot;
    private final Optional<SlotClaim.Holder> another;

    NamedSlot(Optional<PostgresSlot.Found> slot, Optional<SlotClaim.Holder> another) {
      this.slot = slot;
      this.another = another;
    }

    @Override
    public String name() {
      return OffsetRetention.this.name();
    }

    @Override
    public boolean isForeignTo(TaskMark mark) {
      return another.isPresent() || slot.filter(found -> !slot().isUsable(found)).isPresent();
    }

    @Override
    public Problem leftAlone() {
      return another
          .map(holder -> holder.problem(name()))
          .orElseGet(
              () ->
                  new Problem(
                      "replication slot " + name(),
                      slot.map(PostgresSlot.Found::toString).orElse("it is another's"),
                      "no slot of this name, or one of this task",
                      "Choose another slot.name in source.debezium.properties"));
    }

    @Override
    public Problem notRecorded(boolean loads) {
      return new Problem(
          "replication slot " + name(),
          "it exists, and the target has no record that this task created it",
          loads
              ? "no slot of this name: Debezium's snapshot fits only a slot that it makes itself"
              : "no slot of this name, or source.debezium.take-slot: true",
          "Choose another slot.name in source.debezium.properties. Drop the slot only if nobody"
              + " reads it any more"
              + (loads
                  ? ""
                  : ". If it was made for this task, set source.debezium.take-slot: true"));
    }

    @Override
    public String toString() {
      return "replication slot " + name();
    }
  }
}
