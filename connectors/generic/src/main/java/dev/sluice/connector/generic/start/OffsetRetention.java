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
 * The log retention for the connector: with PostgreSQL the slot that Debezium creates, with other
 * databases nothing that belongs to the task. How much log it holds is not known. Used by one
 * thread at a time.
 */
public final class OffsetRetention implements LogRetention {
  /** The name of the retention on a source where the task has none. */
  static final String NAME = "debezium";

  private final JdbcServer server;
  private final CaptureState state;
  private final Optional<SlotClaim> claim;
  private final StartPlaces places;

  /** The failure if another task has the name; otherwise null. */
  private SluiceException taken;

  /**
   * @param claim the claim of the task's slot; empty if the task has nothing on the source
   * @param places the places at which the task may begin
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
   * Creates nothing: Debezium creates slot and snapshot when its capture starts. Until then, and as
   * long as it runs, the claim reserves the name for this task.
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
   * Takes a slot that was created for the task. A missing slot is never created: the part of the
   * log that the task needs would be lost silently.
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

  /** Without the fence: the search writes its own. */
  @Override
  public Position before(Instant commitTime, Position fence) throws InterruptedException {
    return state.beginAt(places.before(commitTime), Instant.now());
  }

  /** Stores the definitions first: a statement in between is found in the log. */
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
   * A later daemon's capture may pause, and release its claim. So the fence is checked while this
   * daemon has the claim: a later daemon that takes over after that must first end this claim.
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
   * Ends the claim of an earlier daemon, which may be frozen. The server refuses to drop a slot
   * that is still read; that is retried.
   */
  @Override
  public void release() {
    claim.ifPresent(SlotClaim::endEarlier);
  }

  /**
   * A slot with the name that Debezium would use, or a claim of it.
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
