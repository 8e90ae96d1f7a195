package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Parent;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import dev.sluice.sink.target.TargetDefinitions.Found;
import dev.sluice.sink.target.TargetFault;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
    List<DefinitionChange> drops = all.changes().stream().filter(DefinitionChange::drops).toList();
    if (!drops.isEmpty()
        && isAllowed(
            drops,
            settings.get(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_DROPPED),
            all)) {
      drop(withoutThoseApart(drops, all));
      done.addAll(drops);
    }
    for (DefinitionChange change : all.changes()) {
      if (change.drops()) {
        continue;
      }
      if (change.obstacle() != null) {
        throw refused(change.after(), "of " + change.table() + " is lost: " + change.obstacle());
      }
      if (isNew(change)
          || isAllowed(
              List.of(change),
              settings.get(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED),
              all)) {
        make(change, all);
        done.add(change);
      } else {
        requireSameName(change);
        requireKeptColumnsEmpty(change);
        requireNone(
            EndedGeneration.problems(connection, change, targetOf.apply(change.after().table())));
      }
    }
    return done;
  }

  /** Requires that rows do not come under another name, where there may be another table. */
  private void requireSameName(DefinitionChange change) throws SQLException {
    if (change.before() == null || change.after().partition() != null) {
      return;
    }
    TableId was = targetOf.apply(change.before().table());
    TableId now = targetOf.apply(change.after().table());
    boolean isSame = was.equals(now) || target.find(was).isEmpty() && target.find(now).isPresent();
    if (!isSame) {
      throw refused(now, "is still %s, since HandleSourceTableAltered is false".formatted(was));
    }
  }

  /** Requires that dropped columns stay NULL. Skips partitions, since their root is checked. */
  private void requireKeptColumnsEmpty(DefinitionChange change) throws SQLException {
    if (change.before() == null || change.after().partition() != null) {
      return;
    }
    Set<String> stay =
        change.after().columns().stream().map(ColumnDefinition::name).collect(Collectors.toSet());
    List<Problem> filled =
        KeptColumns.filled(
            connection,
            targetOf.apply(change.before().table()),
            change.before().columns().stream()
                .map(ColumnDefinition::name)
                .filter(name -> !stay.contains(name))
                .toList());
    requireNone(filled);
  }

  private static void requireNone(List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new SluiceException.Data(
          problems.stream().map(Problem::toString).collect(Collectors.joining("\n")), null);
    }
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

  private static boolean isAllowed(
      List<DefinitionChange> changes, boolean allowed, DefinitionChanges all) {
    if (!allowed) {
      LOG.warn(
          "{} of {} is not applied to the target, because of ChangeProcessingDdlHandlingPolicy",
          all.command(),
          tables(changes));
    }
    return allowed;
  }

  private List<DefinitionChange> withoutThoseApart(
      List<DefinitionChange> drops, DefinitionChanges all) throws SQLException {
    List<DefinitionChange> others = new ArrayList<>();
    for (DefinitionChange drop : drops) {
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
      create(after, now);
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

  private void create(TableDefinition after, TableId now) throws SQLException {
    Optional<Found> found = target.find(now);
    if (found.isPresent()) {
      requireNotKept(after, found.get());
      found.get().requireColumnsOf(after);
      List<String> key = keyOf(found.get());
      if (key.equals(after.keyNames())) {
        LOG.info("table {} is already on the target", now);
      } else {
        // Rows are found by the source's key, and a unique one of the target refuses rows by name.
        LOG.warn(
            "table {} is already on the target with the primary key {}, and stays as it is; the source's new one has {}",
            now,
            key,
            after.keyNames());
      }
      return;
    }
    target.makeSchema(now.schema());
    NewTable table = new NewTable(ddl, after, now, targetOf);
    makeSchemasOfSequences(table);
    statements.run(table.sequences());
    statements.run(table.statements());
    statements.runOptional(table.defaults());
    statements.run(ddl.closeAsMoved(now));
    LOG.info("table {} created on the target", now);
  }

  /**
   * A table that was dropped on the source and stayed here is not the new one of its name, which
   * has no rows yet. It may have stayed by the setting of an earlier time.
   */
  private void requireNotKept(TableDefinition after, Found found) throws SQLException {
    boolean drops = settings.get(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_DROPPED);
    List<String> key = keyOf(found);
    boolean hasRows = target.hasRows(found.id());
    if (hasRows || !drops && !key.equals(after.keyNames())) {
      throw new SluiceException.Data(
          "target table %s has %s: it is another table, such as one that stayed when the source dropped or renamed it. Rename it on the target if you need its rows: a reload deletes them; then load the table again"
              .formatted(
                  found.id(),
                  hasRows
                      ? "rows, and the source's new one has none yet"
                      : "the primary key %s, and the source's new one %s"
                          .formatted(key, after.keyNames())),
          null);
    }
  }

  private static List<String> keyOf(Found found) {
    return found.key() == null ? List.of() : found.key().columns();
  }

  /** The source did not report the table's old definition: the target must match already. */
  private void requireSame(TableDefinition after, TableId now) throws SQLException {
    Optional<Found> found = target.find(now);
    if (found.isEmpty()) {
      throw refused(after, "is missing, and the source did not report its old definition");
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

  private void makeSchemasOfSequences(NewTable table) throws SQLException {
    for (String schema : table.schemasOfSequences()) {
      target.makeSchema(schema);
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
      throw refused(
          after,
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

  private void drop(List<DefinitionChange> drops) throws SQLException {
    List<TableId> gone = new ArrayList<>();
    List<TableId> dropped =
        drops.stream().map(change -> targetOf.apply(change.before().table())).toList();
    for (DefinitionChange change : drops) {
      TableId table = targetOf.apply(change.before().table());
      Partition partition = change.before().partition();
      Optional<Found> found = target.find(table);
      if (partition == null) {
        found.ifPresent(there -> gone.add(table));
        continue;
      }
      TableId parent = targetOf.apply(partition.parent());
      if (found.isPresent() && found.get().isPartitionOf(parent)) {
        gone.add(table);
      } else if (!dropped.contains(parent) && !dropped.contains(targetOf.apply(partition.root()))) {
        partitions.delete(partition);
      }
    }
    if (!gone.isEmpty()) {
      statements.run(ddl.noteDroppedIfMoved(gone));
      try {
        statements.run(List.of(ddl.dropTables(gone)));
      } catch (SQLException e) {
        throw dependent(e, gone.stream().map(TableId::quoted).collect(Collectors.joining(", ")));
      }
      LOG.info("dropped on the target: {}", gone);
    }
  }

  private void alter(DefinitionChange change, TableId now, DefinitionChanges all)
      throws SQLException {
    Optional<Found> found = target.find(now);
    if (found.isEmpty()) {
      throw refused(change.after(), "is not there to be altered");
    }
    NewTable made = new NewTable(ddl, change.after(), now, targetOf);
    TableAlteration alteration =
        new TableAlteration(ddl, change, found.get(), all.plainCasts(), target.hasRows(now), made);
    makeSchemasOfSequences(made);
    List<String> before = alteration.beforeTypes();
    List<String> types = alteration.types();
    try {
      statements.run(before);
      if (!types.isEmpty()) {
        target.runUnder(all.settings(), types);
      }
      statements.run(alteration.afterTypes());
    } catch (SQLException e) {
      throw dependent(e, now.toString());
    }
    statements.runOptional(alteration.defaults());
    if (alteration.changesAnything()) {
      LOG.info("table {} altered on the target: {}", now, alteration);
    }
    alteration
        .notReplicated()
        .forEach(what -> LOG.info("table {}: {} is not replicated", now, what));
  }

  /** Names a target object that depends on what would be dropped; it is never dropped with it. */
  private RuntimeException dependent(SQLException error, String what) throws SQLException {
    if (connection.errors().faultOf(error) == TargetFault.DEPENDENT_OBJECT) {
      throw new SluiceException.Data(
          "%s cannot be altered or dropped as on the source: %s; drop what depends on it on the target"
              .formatted(what, error.getMessage().replaceAll("\\s*\\n\\s*", "; ")),
          error);
    }
    throw error;
  }

  private SluiceException refused(TableDefinition definition, String why) {
    return refused(targetOf.apply(definition.table()), why);
  }

  /** A change that statements cannot make on the target. */
  static SluiceException refused(TableId table, String why) {
    return new SluiceException.Data(
        "target table %s %s; load the table again".formatted(table, why), null);
  }

  private static String tables(List<DefinitionChange> changes) {
    return changes.stream()
        .map(change -> change.table().toString())
        .distinct()
        .collect(Collectors.joining(", "));
  }
}
