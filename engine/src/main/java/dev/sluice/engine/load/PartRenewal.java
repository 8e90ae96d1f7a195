package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.load.log.LoadedPart;
import dev.sluice.load.log.PartMarks;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.replay.PositionedChange;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;

/* A row of a kept segment that was not changed since the segment was read is the same in the new
 * snapshot, and in the same segment. All other rows are found by their keys: those that the changes
 * between the two positions had, before and after. All rows with these keys are deleted from the
 * target. Those that are in a kept segment in the new snapshot are read again; the others come with
 * the segments that are still to be loaded. So it does not matter in which segment a row was, and no
 * change is applied to a part of a table.
 *
 * An additional key does no harm; a missing one would. So if the key of a change is not known, or
 * the table was altered or truncated, the segments are not kept.
 */
/**
 * Updates the kept segments of an interrupted load to the snapshot of the new attempt, so that all
 * rows of a table have the same start position. Single use; owned by the thread that loads.
 */
public final class PartRenewal {
  private final SourceReader source;
  private final TargetServer target;
  private final TableMappings mappings;
  private final PartMarks marks;
  private final Function<BooleanSupplier, ChangeReplay> journal;
  private final JournalOffset begun;
  private final Position now;
  private final BooleanSupplier capturePaused;

  /**
   * @param journal makes a reader of the journal with the source's column names; it waits for
   *     records until the argument is true
   * @param begun a journal position at or before the start of every part
   * @param now the snapshot's position; the journal has a transaction at or after it, or soon will
   * @param capturePaused whether the journal is full, so that nothing is added before the load ends
   */
  public PartRenewal(
      LoadRoute route,
      PartMarks marks,
      Function<BooleanSupplier, ChangeReplay> journal,
      JournalOffset begun,
      Position now,
      BooleanSupplier capturePaused) {
    this.source = route.source();
    this.target = route.target();
    this.mappings = route.mappings();
    this.marks = marks;
    this.journal = journal;
    this.begun = begun;
    this.now = now;
    this.capturePaused = capturePaused;
  }

  /**
   * Updates all parts, or none of them.
   *
   * @param snapshot open until this returns
   * @return false if a stop interrupted it
   * @throws SluiceException.Overtaken if the load must start again without a part
   */
  boolean renew(
      List<PlannedTable> tables,
      Map<TableId, CopyLayout> layouts,
      String snapshot,
      BooleanSupplier stopping) {
    List<LoadedPart> parts = tables.stream().flatMap(table -> table.part().stream()).toList();
    try (TargetConnection connection = target.connect();
        SnapshotReader reader = source.open(snapshot)) {
      for (LoadedPart part : parts) {
        marks.hold(connection, part);
      }
      Map<TableId, RenewedPart> renewed = new LinkedHashMap<>();
      for (PlannedTable table : tables) {
        renewed.put(
            table.table(),
            new RenewedPart(
                connection, renewed.size(), table, layouts.get(table.table()), mappings));
      }
      if (!gatherKeys(renewed, stopping)) {
        return false;
      }
      for (RenewedPart part : renewed.values()) {
        if (part.obstacle().isEmpty()) {
          part.readAgain(reader, now, stopping);
        }
        if (stopping.getAsBoolean()) {
          return false;
        }
      }
      requireNoObstacle(renewed.values());
      for (LoadedPart part : parts) {
        marks.move(connection, part, now);
      }
      connection.commitDurably();
      connection.jdbc().commit();
      return true;
    } catch (PartsGivenUp e) {
      throw giveUp(e.parts, e.getMessage());
    } catch (SQLException e) {
      throw failed(
          parts, target.errors().classify("bring the segments that are kept to " + now, e));
    } catch (SluiceException e) {
      if (e instanceof SluiceException.Retryable && stopping.getAsBoolean()) {
        return false;
      }
      throw failed(parts, e);
    }
  }

  private boolean gatherKeys(Map<TableId, RenewedPart> renewed, BooleanSupplier stopping)
      throws SQLException {
    ChangeReplay replay =
        journal.apply(() -> stopping.getAsBoolean() || capturePaused.getAsBoolean());
    try (ChangeReplay.Changes changes =
        replay.open(begun, now, TableFilter.only(renewed.keySet()))) {
      for (PositionedChange change = changes.next(); change != null; change = changes.next()) {
        if (stopping.getAsBoolean()) {
          return false;
        }
        Position position = change.transaction().position();
        if (change.event() instanceof ChangeEvent.RowChange row) {
          renewed.get(row.schema().table()).touch(row, position);
        } else {
          for (RenewedPart part : renewed.values()) {
            part.meet(change.event(), position);
          }
        }
      }
      return true;
    }
  }

  private static void requireNoObstacle(Collection<RenewedPart> renewed) {
    List<RenewedPart> kept = renewed.stream().filter(part -> part.obstacle().isPresent()).toList();
    if (!kept.isEmpty()) {
      throw new PartsGivenUp(
          kept.stream().map(RenewedPart::part).toList(),
          kept.stream()
              .map(part -> part.part().table() + ": " + part.obstacle().orElseThrow())
              .collect(Collectors.joining("; ")));
    }
  }

  /** A retryable failure keeps the parts; after any other they are loaded again. */
  private SluiceException failed(List<LoadedPart> parts, SluiceException reason) {
    if (reason instanceof SluiceException.Retryable && capturePaused.getAsBoolean()) {
      // Not retryable: the journal gets room only when changes are applied, after the load.
      return giveUp(
          parts,
          "the journal is full, and may lack changes up to %s: %s"
              .formatted(now, reason.getMessage()));
    }
    boolean mayPass =
        reason instanceof SluiceException.Retryable
            || reason instanceof SluiceException.Fenced
            || reason instanceof SluiceException.Overtaken;
    return mayPass ? reason : giveUp(parts, reason.getMessage());
  }

  private SluiceException giveUp(List<LoadedPart> parts, String reason) {
    marks.giveUp(parts);
    return new SluiceException.Overtaken(
        "the load starts again without the kept segments of %s: %s"
            .formatted(parts.stream().map(LoadedPart::table).toList(), reason),
        null);
  }

  /** Thrown while the transaction locks the marks, and caught after it has ended. */
  private static final class PartsGivenUp extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<LoadedPart> parts;

    private PartsGivenUp(List<LoadedPart> parts, String reason) {
      super(reason);
      this.parts = parts;
    }
  }
}
