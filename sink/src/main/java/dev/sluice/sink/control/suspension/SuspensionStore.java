package dev.sluice.sink.control.suspension;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.position.LaneHold;
import dev.sluice.sink.control.position.RowShapeTable;
import dev.sluice.sink.control.report.RejectedChanges;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the state of suspended tables outside of windows: by commands and by the steps of a
 * resync. Each change is one target transaction that holds the checkpoint row of the table's lane.
 * So it falls between two windows and is checked against the epoch. It is durable when the call
 * returns. Threadsafe: each call uses its own connection.
 *
 * <pre>
 *   (followed) --reload--> RELOADING --copied--> CATCHING_UP --joined--> (followed)
 *   SUSPENDED --reload-->  RELOADING             SUSPENDED --resume--> CATCHING_UP
 *   RELOADING, CATCHING_UP --an error--> SUSPENDED
 * </pre>
 */
public final class SuspensionStore {
  private static final Logger LOG = LoggerFactory.getLogger(SuspensionStore.class);

  private final TargetServer server;
  private final String controlSchema;
  private final Checkpoint claimed;
  private final UnaryOperator<TableId> targetOf;
  private final SuspensionChanges changes;
  private final Clock clock;
  private final SuspendedTables tables;
  private final CatchUpLanes catchUp;
  private final LaneHold lanesOf;
  private final RowShapeTable shapes;
  private final RejectedChanges rejected;

  /**
   * @param claimed the claimed checkpoint, with task and epoch
   * @param targetOf maps a source table to its target table
   * @param changes counts each change, for the lanes
   */
  public SuspensionStore(
      TargetServer server,
      String controlSchema,
      Checkpoint claimed,
      UnaryOperator<TableId> targetOf,
      SuspensionChanges changes,
      Clock clock) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.claimed = claimed;
    this.targetOf = targetOf;
    this.changes = changes;
    this.clock = clock;
    this.tables = new SuspendedTables(controlSchema, claimed.task());
    LaneCheckpoints lanes = new LaneCheckpoints(server, controlSchema);
    this.catchUp = new CatchUpLanes(lanes, controlSchema, claimed, targetOf);
    this.lanesOf = new LaneHold(controlSchema, claimed, lanes, targetOf);
    this.shapes = new RowShapeTable(controlSchema, claimed.task());
    this.rejected = new RejectedChanges(controlSchema, claimed.task());
  }

  /** Reads the suspended tables. */
  public List<SuspendedTable> read() {
    return tables.read(server);
  }

  /**
   * Starts the catch-up of suspended tables from their offsets; all or none. A table that catches
   * up already is not changed.
   *
   * @throws SluiceException.Fatal if a table cannot be resumed; it lists all such tables
   */
  public void resume(Collection<TableId> names) {
    step(
        "resume " + names,
        names,
        (connection, offsets) -> {
          Map<TableId, SuspendedTable> known = tables.byName(connection);
          List<Problem> problems = new ArrayList<>();
          for (TableId name : names) {
            ResyncRefusals.ofResume(name, Optional.ofNullable(known.get(name)))
                .ifPresent(problems::add);
          }
          refuse(problems);
          for (TableId name : names) {
            SuspendedTable suspended = known.get(name);
            if (suspended.state() == SuspensionState.SUSPENDED) {
              tables.state(connection, name, SuspensionState.CATCHING_UP, suspended.reason());
              catchUp.begin(connection, name, suspended.applied());
            }
          }
        });
  }

  /**
   * Starts the reload of tables; all or none. A table that is not suspended is skipped from the
   * next window on. A table that is being reloaded is not changed.
   *
   * @throws SluiceException.Fatal if a table cannot be reloaded; it lists all such tables
   */
  public void reload(Collection<TableId> names) {
    reload(names, Set.of());
  }

  /**
   * The same with tables that the target has no rows of yet: without a copy they cannot be resumed.
   */
  public void reload(Collection<TableId> names, Collection<TableId> taken) {
    step(
        "reload " + names,
        names,
        (connection, offsets) -> {
          Map<TableId, SuspendedTable> known = tables.byName(connection);
          refuse(
              names.stream()
                  .filter(known::containsKey)
                  .filter(name -> known.get(name).state() == SuspensionState.CATCHING_UP)
                  .map(ResyncRefusals::ofReload)
                  .toList());
          for (TableId name : names) {
            if (known.containsKey(name)) {
              tables.state(connection, name, SuspensionState.RELOADING, known.get(name).reason());
            } else {
              JournalOffset place = offsets.get(name);
              SuspendedTable requested =
                  new SuspendedTable(
                      name,
                      SuspensionState.RELOADING,
                      "a reload was requested",
                      clock.instant(),
                      place,
                      place.position(),
                      !taken.contains(name),
                      true);
              tables.add(connection, List.of(requested), List.of(targetOf.apply(name)));
            }
          }
        });
  }

  /** The journal offset of the lane that the table belongs to when it is not suspended. */
  public JournalOffset laneOffset(TableId name) {
    try (TargetConnection connection = server.borrow()) {
      return lanesOf.hold(connection, List.of(name)).get(name);
    } catch (SQLException e) {
      throw server.errors().classify("read the lane checkpoint of " + name, e);
    }
  }

  /**
   * The journal offset of the catch-up lane of a table. Waits for a window in flight of an earlier
   * session of that lane. Without this wait the caller could apply that window again.
   *
   * @throws SluiceException.Fenced if the table does not catch up, or another daemon claimed the
   *     task
   */
  public JournalOffset catchUpOffset(TableId name) {
    try (TargetConnection connection = server.borrow()) {
      return catchUp.lock(connection, name);
    } catch (SQLException e) {
      throw server.errors().classify("read the catch-up checkpoint of " + name, e);
    }
  }

  /**
   * Marks the target's rows of a table as incomplete, before a reload empties it.
   *
   * @param place journal offset of its lane before the snapshot; all changes that the snapshot
   *     lacks come after it
   */
  public void markIncomplete(TableId name, JournalOffset place) {
    step(
        "begin the reload of " + name,
        List.of(name),
        (connection, offsets) ->
            tables.place(connection, name, place, SuspensionState.RELOADING, false));
  }

  /**
   * Records that the table is copied. It catches up from the snapshot's position on.
   *
   * @param snapshot position of the snapshot; the rows contain all changes up to it
   */
  public void copied(TableId name, Position snapshot) {
    step(
        "record that " + name + " is copied",
        List.of(name),
        (connection, offsets) -> {
          JournalOffset before = tables.byName(connection).get(name).applied();
          if (before.position().isAfter(snapshot)) {
            throw new SluiceException.Fatal(
                "BUG: %s is kept in the journal from %s on, after its snapshot at %s"
                    .formatted(name, before.position(), snapshot),
                null);
          }
          // The journal is read from before the copy; the position skips what the snapshot
          // contains.
          JournalOffset from =
              new JournalOffset(snapshot, before.term(), before.transaction(), before.nextOffset());
          tables.place(connection, name, from, SuspensionState.CATCHING_UP, true);
          // The copied rows may have another row schema than the last applied ones.
          shapes.write(connection, Map.of(name, Optional.empty()));
          long rejected = this.rejected.forgetUpTo(connection, name, snapshot);
          if (rejected > 0) {
            LOG.info(
                "{} of {} deleted from sluice_apply_exceptions: the copied rows contain them",
                Counted.of(rejected, "rejected change"),
                name);
          }
          catchUp.begin(connection, name, from);
        });
  }

  /** Suspends a table again whose resync failed, at the offset that it has reached. */
  public void suspend(TableId name, String reason) {
    step(
        "suspend " + name,
        List.of(name),
        (connection, offsets) -> {
          SuspendedTable suspended = tables.byName(connection).get(name);
          if (suspended == null) {
            return;
          }
          Optional<JournalOffset> reached = catchUp.end(connection, name);
          tables.place(
              connection,
              name,
              reached.orElse(suspended.applied()),
              SuspensionState.SUSPENDED,
              suspended.rowsWhole() && suspended.journaled());
          tables.state(connection, name, SuspensionState.SUSPENDED, reason);
        });
  }

  /**
   * Holds the table's own lane between two windows, as long as the result is open.
   *
   * @throws SluiceException.Fenced if another daemon claimed the task
   */
  public TableJoin beginJoin(TableId name) {
    TargetConnection connection = server.connect();
    try {
      Position stands = lanesOf.hold(connection, List.of(name)).get(name).position();
      return new TableJoin(connection, controlSchema, claimed, name, stands, changes);
    } catch (SQLException e) {
      connection.close();
      throw server.errors().classify("join " + name + " to its lane", e);
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private static void refuse(List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /** A change that is made while the lanes are held. */
  private interface Step {

    /**
     * @param offsets the journal offset of each table's lane
     */
    void run(TargetConnection connection, Map<TableId, JournalOffset> offsets) throws SQLException;
  }

  private void step(String attempted, Collection<TableId> names, Step step) {
    try (TargetConnection connection = server.borrow()) {
      step.run(connection, lanesOf.hold(connection, names));
      changes.changed();
      connection.commitDurably();
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify(attempted, e);
    }
  }
}
