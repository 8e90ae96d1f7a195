package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.followed.FollowedCoverage;
import dev.sluice.engine.validate.followed.Following;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.touched.TouchedKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The tables that the validation compares, and since when their changes are known. Owned by the
 * thread of the validation; any thread may note that rows are loaded again.
 */
final class TrackedTables {
  private static final Duration CATALOG_AGE = Duration.ofSeconds(60);

  private final TaskContext context;
  private final ValidationStore store;
  private final TouchedKeys touched;
  private final Applied lanes;
  private final Queue<TableId> replaced = new ConcurrentLinkedQueue<>();

  /** What is remembered across restarts; empty if the validation runs only on demand. */
  private Optional<FollowedCoverage> across = Optional.empty();

  private Following following;
  private Optional<ValidatedTables> tables = Optional.empty();
  private Optional<Instant> catalogRead = Optional.empty();

  /**
   * @param from since when changes are recorded
   */
  TrackedTables(
      TaskContext context,
      ValidationStore store,
      TouchedKeys touched,
      Position from,
      Applied lanes) {
    this.context = context;
    this.store = store;
    this.touched = touched;
    this.lanes = lanes;
    this.following = Following.from(from);
  }

  /** Since when changes are recorded. Called before the start. */
  void recordedFrom(Position position) {
    following = Following.from(position);
  }

  /** Stores which tables are followed, for later starts. Called before the start. */
  void remember(FollowedCoverage restarts) {
    across = Optional.of(restarts);
    following = restarts;
  }

  /** Whether the stored state of an earlier daemon was not read yet. */
  boolean isRememberedUnread() {
    return across.isPresent() && tables.isEmpty();
  }

  /**
   * Notes that the rows of a table are loaded again, so that earlier reads are void. May be called
   * from any thread.
   */
  void rowsReplaced(TableId table) {
    replaced.add(table);
  }

  /** The tables that a lane applies now, and whose rows were not loaded again since. */
  Predicate<TableId> applied() {
    Set<TableId> suspended = lanes.suspended();
    return table -> !suspended.contains(table) && !isReplaced(table);
  }

  private boolean isReplaced(TableId table) {
    return replaced.contains(table);
  }

  /** Whether it is not known yet if an earlier pass over the table is still valid. */
  boolean isPending(TableId table) {
    return following.isPending(table);
  }

  /** Notes that a repair may have written to the table. */
  void voided(TableId table) {
    across.ifPresent(known -> known.voided(table));
  }

  /** Reads what is stored, once, and now and then the tables of the source. */
  ValidatedTables load(Instant now) {
    ValidatedTables loaded = tables.orElseGet(this::stored);
    tables = Optional.of(loaded);
    if (catalogRead.filter(read -> read.plus(CATALOG_AGE).isAfter(now)).isEmpty()) {
      loaded.replicated(context.followed(context.steps().all(context.task())).tables());
      catalogRead = Optional.of(now);
      Set<TableId> names = loaded.all().stream().map(TableState::table).collect(Collectors.toSet());
      across.ifPresent(
          known -> {
            known.begin(names, loaded.all().stream().anyMatch(TableState::wasRead));
            known.retain(names);
          });
    }
    for (TableId table = replaced.poll(); table != null; table = replaced.poll()) {
      loaded.readAgain(table);
    }
    return loaded;
  }

  private ValidatedTables stored() {
    return new ValidatedTables(
        context.config().tableMappings(),
        context.config().taskSettings(),
        touched,
        following,
        store.coverage().values(),
        store.failures());
  }

  /**
   * The tables with their current state and the number of touched rows; none before they are known.
   */
  Collection<TableState> counted() {
    tables.ifPresent(ValidatedTables::countTouched);
    return tables.<Collection<TableState>>map(ValidatedTables::all).orElse(List.of());
  }

  /** Stores which tables are followed now. */
  void store(Instant now) {
    if (tables.isEmpty() || across.isEmpty()) {
      return;
    }
    Predicate<TableId> applied = applied();
    across
        .get()
        .advance(
            now,
            tables.get().all().stream()
                .filter(table -> applied.test(table.table()))
                .flatMap(table -> table.readSince().stream())
                .toList(),
            table -> !isReplaced(table));
  }

  /** What the start has restored of an earlier daemon's state, as text. */
  String news() {
    return across.map(FollowedCoverage::news).orElse("");
  }

  void close() {
    across.ifPresent(FollowedCoverage::close);
  }
}
