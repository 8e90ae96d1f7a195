package dev.sluice.sink.control.suspension;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.position.LaneHold;
import dev.sluice.sink.control.position.RowShapeTable;
import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.control.report.RejectedChanges;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is changed about suspended tables beside the windows: orders, and the steps of their return.
 * Each is one target transaction that holds the checkpoint row of the lane that a table is of, so
 * that it falls between two of its windows and under the epoch; it is durable when the call
 * returns. Threadsafe: each call has a connection of its own.
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
  private final SuspensionChanges news;
  private final Clock clock;
  private final SuspendedTables tables;
  private final LaneCheckpoints lanes;
  private final LaneHold lanesOf;
  private final RowShapeTable shapes;
  private final RejectedChanges rejected;
  private final String table;
  private final String laneTable;

  /**
   * @param claimed gives task and epoch
   * @param targetOf the target table of a source table
   * @param news told of each change
   */
  public SuspensionStore(
      TargetServer server,
      String controlSchema,
      Checkpoint claimed,
      UnaryOperator<TableId> targetOf,
      SuspensionChanges news,
      Clock clock) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.claimed = claimed;
    this.targetOf = targetOf;
    this.news = news;
    this.clock = clock;
    this.tables = new SuspendedTables(controlSchema, claimed.task());
    this.lanes = new LaneCheckpoints(server, controlSchema);
    this.lanesOf = new LaneHold(controlSchema, claimed, lanes, targetOf);
    this.shapes = new RowShapeTable(controlSchema, claimed.task());
    this.rejected = new RejectedChanges(controlSchema, claimed.task());
    this.table = ProgressTables.SUSPENDED.in(controlSchema);
    this.laneTable = ProgressTables.LANE.in(controlSchema);
  }

  /** The suspended tables as they are now. */
  public List<SuspendedTable> read() {
    return tables.read(server);
  }

  /**
   * Lets suspended tables catch up from where they stand; all or none. One that does so already is
   * left alone.
   *
   * @throws SluiceException.Fatal naming each table that cannot
   */
  public void resume(Collection<TableId> names) {
    step(
        "resume " + names,
        names,
        (connection, places) -> {
          Map<TableId, SuspendedTable> known = known(connection);
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
              beginLane(connection, name, suspended.applied());
            }
          }
        });
  }

  /**
   * Has tables copied anew; all or none. One that is applied is passed over from the next window
   * on; one that is reloaded already is left alone.
   *
   * @throws SluiceException.Fatal naming each table that cannot be
   */
  public void reload(Collection<TableId> names) {
    step(
        "reload " + names,
        names,
        (connection, places) -> {
          Map<TableId, SuspendedTable> known = known(connection);
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
              JournalOffset place = places.get(name);
              SuspendedTable ordered =
                  new SuspendedTable(
                      name,
                      SuspensionState.RELOADING,
                      "a reload was ordered",
                      clock.instant(),
                      place,
                      place.position(),
                      true,
                      true);
              tables.add(connection, List.of(ordered), List.of(targetOf.apply(name)));
            }
          }
        });
  }

  /** Where the lane is on the target that a table is of when it is not suspended. */
  public JournalOffset laneStandsAt(TableId name) {
    try (TargetConnection connection = server.connect()) {
      return lanesOf.hold(connection, List.of(name)).get(name);
    } catch (SQLException e) {
      throw TargetErrors.classify("look where " + name + " is to go on", e);
    }
  }

  /**
   * Where the lane of a table that catches up is on the target. Waits for a window that another
   * session has still under way there, as of a lane that was given up: who plans from an answer
   * without this lock may apply that window again.
   *
   * @throws SluiceException.Fenced where the table does not catch up, or another daemon claimed the
   *     task
   */
  public JournalOffset catchUpStandsAt(TableId name) {
    try (TargetConnection connection = server.connect()) {
      return new WindowCheckpoint(controlSchema, claimed, LaneId.catchUp(name)).lock(connection);
    } catch (SQLException e) {
      throw TargetErrors.classify("look where " + name + " is to catch up from", e);
    }
  }

  /**
   * From here on the target's rows of a table that is reloaded are given up, and with them the
   * place at which they stood.
   *
   * @param place where its lane stood before the snapshot was taken: all that the snapshot lacks
   *     comes after it in the journal
   */
  public void giveUpRows(TableId name, JournalOffset place) {
    step(
        "give up the rows of " + name,
        List.of(name),
        (connection, places) ->
            tables.place(connection, name, place, SuspensionState.RELOADING, false));
  }

  /**
   * The table is copied whole; it catches up from the snapshot's position on.
   *
   * @param snapshot changes at or below it are in the rows
   */
  public void copied(TableId name, Position snapshot) {
    step(
        "note that " + name + " is copied",
        List.of(name),
        (connection, places) -> {
          JournalOffset before = known(connection).get(name).applied();
          if (before.position().isAfter(snapshot)) {
            throw new SluiceException.Fatal(
                "BUG: %s is kept in the journal from %s on, after its snapshot at %s"
                    .formatted(name, before.position(), snapshot),
                null);
          }
          // Read from where it was before the copy; what the snapshot had is told by its position.
          JournalOffset from =
              new JournalOffset(snapshot, before.term(), before.transaction(), before.nextOffset());
          tables.place(connection, name, from, SuspensionState.CATCHING_UP, true);
          // The rows that were copied may have another shape than the last ones that were applied.
          shapes.write(connection, Map.of(name, Optional.empty()));
          long rejected = this.rejected.forgetUpTo(connection, name, snapshot);
          if (rejected > 0) {
            LOG.info(
                "{} of {} in sluice_apply_exceptions are deleted: the copied rows have them",
                Counted.of(rejected, "rejected change"),
                name);
          }
          beginLane(connection, name, from);
        });
  }

  /** A table that was to return stays suspended, where it stands. */
  public void suspend(TableId name, String reason) {
    step(
        "suspend " + name,
        List.of(name),
        (connection, places) -> {
          SuspendedTable suspended = known(connection).get(name);
          if (suspended == null) {
            return;
          }
          Optional<JournalOffset> reached = lanes.end(connection, claimed, LaneId.catchUp(name));
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
   * Stops the lane that the table is to join at the window's edge where it is, for as long as the
   * result is open.
   *
   * @throws SluiceException.Fenced where another daemon claimed the task
   */
  public TableJoin beginJoin(TableId name) {
    TargetConnection connection = server.connect();
    try {
      Position stands = lanesOf.hold(connection, List.of(name)).get(name).position();
      return new TableJoin(connection, table, laneTable, claimed, name, stands, news);
    } catch (SQLException e) {
      connection.close();
      throw TargetErrors.classify("let " + name + " join", e);
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

  /** What is done while the lanes stand. */
  private interface Step {

    /**
     * @param places by table, where its lane is
     */
    void run(TargetConnection connection, Map<TableId, JournalOffset> places) throws SQLException;
  }

  private void step(String attempted, Collection<TableId> names, Step step) {
    try (TargetConnection connection = server.connect()) {
      step.run(connection, lanesOf.hold(connection, names));
      news.changed();
      CheckpointStore.commitDurably(connection);
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw TargetErrors.classify(attempted, e);
    }
  }

  private Map<TableId, SuspendedTable> known(TargetConnection connection) throws SQLException {
    Map<TableId, SuspendedTable> known = new HashMap<>();
    tables.read(connection).forEach(each -> known.put(each.table(), each));
    return known;
  }

  private void beginLane(TargetConnection connection, TableId name, JournalOffset place)
      throws SQLException {
    LaneCheckpoint lane =
        LaneCheckpoint.startingAt(LaneId.catchUp(name), List.of(targetOf.apply(name)), place);
    lanes.add(connection, claimed, List.of(lane));
  }
}
