package dev.sluice.engine.validate.followed;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.validation.RereadPoint;
import dev.sluice.sink.control.validation.RereadPoint.JournalState;
import dev.sluice.sink.control.validation.RereadStore;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.touched.TouchedKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Remembers across restarts which tables are followed. It stores the followed tables and an offset
 * of the journal on the target, in one transaction. Each row that was changed and not compared
 * since then is in the journal after that offset. The next start reads the keys from there again,
 * and follows the tables as before.
 *
 * <p>Owned by the thread of the validation; what the journal has to keep may be asked by any.
 */
public final class FollowedCoverage implements Following, AutoCloseable {
  /** The interval between two checks for changes to store. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** The interval between two writes if only the place has moved. */
  private static final Duration MOVE = Duration.ofSeconds(10);

  private final RereadStore store;
  private final Checkpoint claimed;
  private final LaneStarts lanes;
  private final TouchedKeys touched;
  private final Supplier<JournalOffset> applied;

  private final CarriedTables carried;

  /** What is stored under this epoch. */
  private final Map<TableId, Position> written = new HashMap<>();

  private KeptPlaces places;

  /** The place that is stored under this epoch. */
  private Optional<JournalOffset> storedPlace = Optional.empty();

  /** Whether a place is stored, maybe under an earlier epoch. */
  private boolean hasPlace;

  private Instant lastLook = Instant.EPOCH;
  private Instant lastWrite = Instant.EPOCH;
  private boolean begun;

  /** The journal is kept from here on; all of it until that is known. */
  private volatile long needed;

  private volatile boolean givesWay;

  /**
   * A table that was read, or is being read, and whose listed rows have not changed since a session
   * saw them.
   *
   * @param pass the position at which the last or the running pass began, the later of them
   */
  public record ReadTable(TableId table, Position pass) {}

  /**
   * A table's part of the place that is stored.
   *
   * @param since the position from which it is followed
   * @param oldest the lowest position of the last touch of a row that was not compared since; empty
   *     if all were
   */
  private record Followed(Position since, Optional<Position> oldest) {
    boolean isAfter(Position place) {
      return oldest.filter(at -> !at.isAfter(place)).isEmpty();
    }
  }

  /**
   * @param claimed the claim of this daemon
   * @param applied the place up to which every lane has applied the journal
   * @param journal with the same schemas as the lanes have
   */
  public FollowedCoverage(
      RereadStore store,
      Checkpoint claimed,
      LaneStarts lanes,
      TouchedKeys touched,
      Supplier<JournalOffset> applied,
      ChangeReplay journal) {
    this.store = store;
    this.claimed = claimed;
    this.lanes = lanes;
    this.touched = touched;
    this.applied = applied;
    this.carried = new CarriedTables(journal, lanes.highest(), touched);
    this.places = new KeptPlaces(lanes.lowest());
  }

  /**
   * Reads what is stored, and begins to read the journal again.
   *
   * @param replicated the tables that the task has now
   * @param anyRead whether a table was read by an earlier daemon
   */
  public void begin(Set<TableId> replicated, boolean anyRead) {
    if (begun) {
      return;
    }
    Optional<RereadPoint> stored = store.read();
    Optional<JournalState> now = TakeOver.state(claimed, lanes);
    if (stored.isPresent() && now.isPresent()) {
      Optional<String> obstacle = TakeOver.obstacle(stored.get(), now.get(), lanes);
      if (obstacle.isEmpty()) {
        takeOver(stored.get(), replicated);
      } else {
        store.forget(claimed);
        carried.none(obstacle.get());
      }
    } else if (anyRead) {
      carried.none("nothing is stored of the changes since then");
    }
    needed = places.first().nextOffset();
    begun = true;
  }

  private void takeOver(RereadPoint stored, Set<TableId> replicated) {
    Set<TableId> gone = new HashSet<>(stored.tables().keySet());
    gone.removeAll(replicated);
    if (!gone.isEmpty()) {
      store.forget(claimed, gone);
    }
    hasPlace = true;
    places = new KeptPlaces(stored.from());
    Map<TableId, Position> left = new HashMap<>(stored.tables());
    left.keySet().retainAll(replicated);
    carried.begin(stored.from(), left);
  }

  /** What the start has restored, or why it did not; empty if there was nothing. */
  public String news() {
    return carried.news();
  }

  @Override
  public Position recordedFrom() {
    return lanes.highest();
  }

  @Override
  public boolean isKnownSince(TableId table, Position pass) {
    return !isPending(table) && !carried.since(table).isAfter(pass);
  }

  @Override
  public boolean isPending(TableId table) {
    return carried.isPending(table);
  }

  /** Sets the replicated tables; one that returns later begins without history. */
  public void retain(Set<TableId> replicated) {
    carried.retain(replicated);
  }

  /** Notes that the stored state of a table was voided by the transaction that changed its rows. */
  public void voided(TableId table) {
    written.remove(table);
  }

  /** The offset from which the journal is needed. May be called from any thread. */
  public OptionalLong neededOffset() {
    return OptionalLong.of(needed);
  }

  /**
   * Gives up records of rows that are not compared yet, since the journal has no room for them. May
   * be called from any thread.
   */
  public void giveWay() {
    givesWay = true;
  }

  /**
   * Takes keys that were read again, and stores changes. Called between sessions.
   *
   * @param read the tables that may be followed, without those that are suspended or reloaded
   * @param stillTrue called within the transaction: false if the table's rows were loaded again
   */
  public void advance(Instant now, Collection<ReadTable> read, Predicate<TableId> stillTrue) {
    Optional<JournalState> state = TakeOver.state(claimed, lanes);
    if (!begun || state.isEmpty() || !carried.isKnown() || lastLook.plus(LOOK).isAfter(now)) {
      return;
    }
    lastLook = now;
    // Read before the rows are checked, so that later changes are after this place.
    places.add(applied.get());
    boolean moves = givesWay || !lastWrite.plus(MOVE).isAfter(now);
    Map<TableId, Followed> followed = followed(read);
    JournalOffset place = place(followed.values());
    Map<TableId, Optional<Position>> changed = changed(followed, place.position());
    if (changed.isEmpty() && !hasPlace) {
      needed = place.nextOffset();
      return;
    }
    if (changed.isEmpty() && (!moves || storedPlace.equals(Optional.of(place)))) {
      return;
    }
    // Waits after a failure.
    lastLook = now.plus(MOVE);
    Set<TableId> stored = store.store(claimed, place, state.get(), changed, stillTrue);
    stored.forEach(
        table ->
            changed
                .get(table)
                .ifPresentOrElse(since -> written.put(table, since), () -> written.remove(table)));
    storedPlace = Optional.of(place);
    hasPlace = true;
    needed = place.nextOffset();
    lastLook = now;
    lastWrite = now;
  }

  /** The tables of which all changes are known, with their oldest change that was not compared. */
  private Map<TableId, Followed> followed(Collection<ReadTable> read) {
    Map<TableId, Followed> followed = new HashMap<>();
    for (ReadTable each : read) {
      Optional<Position> oldest = touched.oldestUncompared(each.table());
      Position since =
          touched
              .uncompared(each.table(), 0, Position.MAX)
              .dirtySince()
              .map(carried.since(each.table())::max)
              .orElse(carried.since(each.table()));
      if (!since.isAfter(each.pass())) {
        followed.put(each.table(), new Followed(since, oldest));
      }
    }
    return followed;
  }

  /** The next place. A table with a row that was touched before the last place is ignored. */
  private JournalOffset place(Collection<Followed> followed) {
    Position last = places.first().position();
    Optional<Position> lowest =
        givesWay
            ? Optional.empty()
            : followed.stream()
                .filter(table -> table.isAfter(last))
                .flatMap(table -> table.oldest().stream())
                .min(Position::compareTo);
    givesWay = false;
    return places.before(lowest);
  }

  private Map<TableId, Optional<Position>> changed(
      Map<TableId, Followed> followed, Position place) {
    Map<TableId, Optional<Position>> changed = new HashMap<>();
    written.keySet().forEach(table -> changed.put(table, Optional.empty()));
    followed.forEach(
        (table, known) -> {
          if (known.isAfter(place)) {
            changed.put(table, Optional.of(known.since()));
          }
        });
    changed
        .entrySet()
        .removeIf(
            table -> Optional.ofNullable(written.get(table.getKey())).equals(table.getValue()));
    return changed;
  }

  @Override
  public void close() {
    carried.close();
  }
}
