package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Parent;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import dev.sluice.sink.target.TargetDefinitions.Found;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies one DDL statement of the source to the target, inside the window's transaction. It does
 * only what differs, so a target table that was altered before stays as it is. Owned by the apply
 * thread.
 */
public final class DefinitionApply {
  private static final Logger LOG = LoggerFactory.getLogger(DefinitionApply.class);

  private final TargetConnection connection;
  private final DdlStatements ddl;
  private final TargetDefinitions target;
  private final DefinitionStatements statements;
  private final PartitionPlaces partitions;
  private final TableCreation creation;
  private final FollowedDrops drops;
  private final UnaryOperator<TableId> targetOf;
  private final TaskSettings settings;
  private final Optional<TaskMark> mark;

  /**
   * @param targetOf maps a source table to its target table
   * @param mark of the task, for tables that it makes where DDL commits
   */
  public DefinitionApply(
      TargetConnection connection,
      UnaryOperator<TableId> targetOf,
      TaskSettings settings,
      Optional<TaskMark> mark) {
    this.connection = connection;
    this.ddl = connection.dialect().ddl();
    this.target = connection.dialect().definitions(connection);
    this.targetOf = targetOf;
    this.statements = new DefinitionStatements(connection);
    this.partitions = new PartitionPlaces(connection, target, statements, targetOf);
    this.creation =
        new TableCreation(
            ddl,
            target,
            statements,
            targetOf,
            settings.get(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_DROPPED));
    this.drops = new FollowedDrops(ddl, target, statements, partitions, targetOf);
    this.settings = settings;
    this.mark = mark;
  }

  /**
   * @return the changes that now hold on the target, including those that held before
   * @throws SluiceException.Data if the target table cannot be altered to match; the message has
   *     the table and the fix
   */
  public List<DefinitionChange> apply(DefinitionChanges all) {
    try {
      return done(all);
    } catch (SQLException e) {
      throw connection
          .errors()
          .classifyDefinition("replicate " + all.command() + " of " + tables(all.changes()), e);
    }
  }

  private List<DefinitionChange> done(DefinitionChanges all) throws SQLException {
    List<DefinitionChange> done = new ArrayList<>();
    List<DefinitionChange> dropped =
        all.changes().stream().filter(DefinitionChange::drops).toList();
    if (!dropped.isEmpty() && isFollowed(dropped, all)) {
      drops.drop(withoutThoseApart(dropped, all));
      done.addAll(dropped);
    }
    for (DefinitionChange change : all.changes()) {
      if (change.drops()) {
        continue;
      }
      if (change.obstacle() != null) {
        throw DefinitionStatements.refused(
            targetOf.apply(change.after().table()),
            "of " + change.table() + " is lost: " + change.obstacle());
      }
      if (isFollowed(List.of(change), all)) {
        make(change, all);
        done.add(change);
      } else if (change.before() != null && change.after().partition() == null) {
        // Of a partitioned table, the root is checked.
        new UnfollowedChange(connection, target, change, targetOf).requireHarmless();
      }
    }
    return done;
  }

  /** Whether the settings let a change be applied to the target. */
  public static boolean follows(DefinitionChange change, TaskSettings settings) {
    return change.drops()
        ? settings.get(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_DROPPED)
        : isNew(change)
            || settings.get(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED);
  }

  private static boolean isNew(DefinitionChange change) {
    return change.begins() && (change.before() == null || change.before().partition() == null);
  }

  /**
   * @param changes drops only, or one other change
   */
  private boolean isFollowed(List<DefinitionChange> changes, DefinitionChanges all) {
    boolean follows = follows(changes.get(0), settings);
    if (!follows) {
      LOG.warn(
          "{} of {} is not applied to the target, because of ChangeProcessingDdlHandlingPolicy",
          all.command(),
          tables(changes));
    }
    return follows;
  }

  private List<DefinitionChange> withoutThoseApart(
      List<DefinitionChange> dropped, DefinitionChanges all) throws SQLException {
    List<DefinitionChange> others = new ArrayList<>();
    for (DefinitionChange drop : dropped) {
      if (!isApart(drop, all)) {
        others.add(drop);
      }
    }
    return others;
  }

  /** Whether the target is as the change says, made before the window. */
  private boolean isApart(DefinitionChange change, DefinitionChanges all) throws SQLException {
    return !ddl.isTransactional()
        && change.before() != null
        && target.changedApart(ApartChange.of(change, all, targetOf, mark));
  }

  private void make(DefinitionChange change, DefinitionChanges all) throws SQLException {
    if (change.before() == null && change.after().partition() != null && !target.hasPartitions()) {
      return;
    }
    if (isNew(change)
        && target.madeApart(change.after(), targetOf.apply(change.after().table()), mark)) {
      return;
    }
    if (!isNew(change) && isApart(change, all)) {
      return;
    }
    for (DefinitionStatement needed : all.needed()) {
      statements.makeUnlessThere(needed);
    }
    TableDefinition after = change.after();
    TableId now = targetOf.apply(after.table());
    if (isNew(change)) {
      creation.create(after, now);
    } else if (change.before() == null) {
      if (after.partition() == null) {
        requireSame(after, now);
      } else {
        partitions.add(after, now);
      }
    } else {
      rename(change.before(), after, now);
      partitions.move(change, now);
      endInheritance(change, now);
      if (after.partition() == null) {
        alter(change, now, all);
      }
    }
  }

  /** The source did not report the table's old definition: the target must match already. */
  private void requireSame(TableDefinition after, TableId now) throws SQLException {
    Optional<Found> found = target.find(now);
    if (found.isEmpty()) {
      throw DefinitionStatements.refused(
          now, "is missing, and the source did not report its old definition");
    }
    found.get().requireColumnsOf(after);
  }

  /**
   * Ends the inheritance of a table, so that DDL of its former parent does not alter it. New
   * columns are reported for the table itself.
   */
  private void endInheritance(DefinitionChange change, TableId now) throws SQLException {
    for (Parent parent : change.before().parents()) {
      boolean stays =
          change.after().parents().stream()
              .anyMatch(other -> other.relation() == parent.relation());
      TableId from = targetOf.apply(parent.table());
      if (!stays && target.inherits(now, from)) {
        statements.run(List.of(ddl.endInheritance(now, from)));
        LOG.info("table {} does not inherit from {} any more on the target", now, from);
      }
    }
  }

  private void rename(TableDefinition before, TableDefinition after, TableId now)
      throws SQLException {
    TableId was = targetOf.apply(before.table());
    if (was.equals(now)) {
      return;
    }
    boolean oldThere = target.find(was).isPresent();
    boolean newThere = target.find(now).isPresent();
    if (!oldThere && (newThere || after.partition() != null)) {
      return;
    }
    if (!oldThere || newThere) {
      throw DefinitionStatements.refused(
          now,
          "cannot be renamed from %s: %s"
              .formatted(was, newThere ? "both exist" : "neither exists"));
    }
    TableId moved = was;
    if (!was.schema().equals(now.schema())) {
      target.makeSchema(now.schema());
      statements.run(List.of(ddl.moveToSchema(was, now.schema())));
      moved = new TableId(now.schema(), was.name());
    }
    if (!moved.name().equals(now.name())) {
      statements.run(List.of(ddl.rename(moved, now.name())));
    }
    statements.run(ddl.noteRenamedIfMoved(was, now));
    LOG.info("table {} is now {} on the target", was, now);
  }

  private void alter(DefinitionChange change, TableId now, DefinitionChanges all)
      throws SQLException {
    Optional<Found> found = target.find(now);
    if (found.isEmpty()) {
      throw DefinitionStatements.refused(now, "is not there to be altered");
    }
    NewTable made = new NewTable(ddl, change.after(), now, targetOf);
    TableAlteration alteration =
        new TableAlteration(ddl, change, found.get(), all.plainCasts(), target.hasRows(now), made);
    creation.makeSchemasOfSequences(made);
    List<String> before = alteration.beforeTypes();
    List<String> types = alteration.types();
    try {
      statements.run(before);
      if (!types.isEmpty()) {
        target.runUnder(all.settings(), types);
      }
      statements.run(alteration.afterTypes());
    } catch (SQLException e) {
      throw statements.dependent(e, now.toString());
    }
    statements.runOptional(alteration.defaults());
    if (alteration.changesAnything()) {
      LOG.info("table {} altered on the target: {}", now, alteration);
    }
    alteration
        .notReplicated()
        .forEach(what -> LOG.info("table {}: {} is not replicated", now, what));
  }

  private static String tables(List<DefinitionChange> changes) {
    return changes.stream()
        .map(change -> change.table().toString())
        .distinct()
        .collect(Collectors.joining(", "));
  }
}
