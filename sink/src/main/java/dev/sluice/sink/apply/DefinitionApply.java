package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.ApplySession.attempt;

import dev.sluice.config.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.connector.api.load.DefinitionStatement;
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
 * Does on the target what one DDL statement of the source made of its tables, inside the window's
 * transaction. Only what differs is done: a table that somebody has brought to the new shape before
 * stays as it is. Owned by the apply thread.
 */
final class DefinitionApply {
  private static final Logger LOG = LoggerFactory.getLogger(DefinitionApply.class);

  private final TargetConnection connection;
  private final TargetDefinitions target;
  private final UnaryOperator<TableId> targetOf;
  private final ChangeProcessingDdlHandlingPolicy policy;

  DefinitionApply(
      TargetConnection connection,
      UnaryOperator<TableId> targetOf,
      ChangeProcessingDdlHandlingPolicy policy) {
    this.connection = connection;
    this.target = new TargetDefinitions(connection);
    this.targetOf = targetOf;
    this.policy = policy;
  }

  /**
   * @return the changes that were done on the target, those among them for which it was prepared
   *     already
   * @throws SluiceException.Data where the target cannot become what the source is; the message
   *     names the table and the mend
   */
  List<DefinitionChange> apply(DefinitionChanges all) {
    return attempt(
        "replicate " + all.command() + " of " + tables(all.changes()),
        () -> {
          List<DefinitionChange> done = new ArrayList<>();
          List<DefinitionChange> drops =
              all.changes().stream().filter(DefinitionChange::drops).toList();
          if (!drops.isEmpty() && isAllowed(drops, policy.handleSourceTableDropped(), all)) {
            drop(drops);
            done.addAll(drops);
          }
          for (DefinitionChange change : all.changes()) {
            if (change.drops()) {
              continue;
            }
            if (change.obstacle() != null) {
              throw refused(
                  change.after(), "of " + change.table() + " is lost: " + change.obstacle());
            }
            if (isNew(change)
                || isAllowed(List.of(change), policy.handleSourceTableAltered(), all)) {
              make(change, all);
              done.add(change);
            }
          }
          return done;
        });
  }

  private static boolean isNew(DefinitionChange change) {
    return change.begins() && (change.before() == null || change.before().partition() == null);
  }

  private static boolean isAllowed(
      List<DefinitionChange> changes, boolean allowed, DefinitionChanges all) {
    if (!allowed) {
      LOG.warn(
          "{} of {} is not done on the target, as ChangeProcessingDdlHandlingPolicy asks",
          all.command(),
          tables(changes));
    }
    return allowed;
  }

  private void make(DefinitionChange change, DefinitionChanges all) throws SQLException {
    for (DefinitionStatement needed : all.needed()) {
      makeUnlessThere(needed);
    }
    TableDefinition after = change.after();
    TableId now = targetOf.apply(after.table());
    if (isNew(change)) {
      create(after, now);
    } else if (change.before() == null) {
      addPartition(after, now);
    } else {
      rename(change.before(), after, now);
      if (!samePlace(change.before().partition(), after.partition())) {
        move(change, now);
      }
      if (after.partition() == null) {
        alter(change, now, all);
      }
    }
  }

  private void create(TableDefinition after, TableId now) throws SQLException {
    Optional<Found> found = target.find(now);
    if (found.isPresent()) {
      found.get().requireColumnsOf(after);
      LOG.info("table {} is on the target already", now);
      return;
    }
    target.makeSchema(now.schema());
    NewTable table = new NewTable(after, now, targetOf);
    run(table.sequences());
    run(table.statements());
    runWhereTaken(table.defaults());
    LOG.info("table {} created on the target", now);
  }

  private void addPartition(TableDefinition after, TableId now) throws SQLException {
    TableId parent = targetOf.apply(after.partition().parent());
    Optional<Found> root = target.find(parent);
    if (root.isEmpty() || !root.get().partitioned() || target.find(now).isPresent()) {
      return;
    }
    target.makeSchema(now.schema());
    String sql =
        "CREATE TABLE %s PARTITION OF %s %s%s"
            .formatted(
                now.quoted(),
                parent.quoted(),
                after.partition().bound(),
                after.partitionedBy() == null ? "" : " PARTITION BY " + after.partitionedBy());
    if (runWhereTaken(List.of(sql))) {
      LOG.info("partition {} of {} created on the target", now, parent);
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
          "was to be renamed from %s, but %s"
              .formatted(was, newThere ? "there are both" : "there is neither"));
    }
    TableId moved = was;
    if (!was.schema().equals(now.schema())) {
      target.makeSchema(now.schema());
      run(
          List.of(
              "ALTER TABLE %s SET SCHEMA %s".formatted(was.quoted(), TableId.quote(now.schema()))));
      moved = new TableId(now.schema(), was.name());
    }
    if (!moved.name().equals(now.name())) {
      run(
          List.of(
              "ALTER TABLE %s RENAME TO %s".formatted(moved.quoted(), TableId.quote(now.name()))));
    }
    LOG.info("table {} is now {} on the target", was, now);
  }

  private static boolean samePlace(Partition before, Partition after) {
    return before == null
        ? after == null
        : after != null
            && before.parent().equals(after.parent())
            && before.bound().equals(after.bound());
  }

  /** Takes a partition out of its parent, or puts a table into one. */
  private void move(DefinitionChange change, TableId now) throws SQLException {
    Partition from = change.before().partition();
    Partition to = change.after().partition();
    Optional<Found> table = target.find(now);
    if (from != null && !isRenamedParent(from, table)) {
      detach(change, from, table, now);
      table = target.find(now);
    }
    if (to == null || table.isPresent() && table.get().isPartitionOf(targetOf.apply(to.parent()))) {
      return;
    }
    if (table.isEmpty()) {
      addPartition(change.after(), now);
      return;
    }
    run(
        List.of(
            "ALTER TABLE %s ATTACH PARTITION %s %s"
                .formatted(targetOf.apply(to.parent()).quoted(), now.quoted(), to.bound())));
    LOG.info("table {} is now a partition of {} on the target", now, to.parent());
  }

  /** The parent's own change comes first: it may have another name by now. */
  private boolean isRenamedParent(Partition from, Optional<Found> table) {
    return table.isPresent() && table.get().parent() == null
        || table.isPresent() && !table.get().isPartitionOf(targetOf.apply(from.parent()));
  }

  private void detach(DefinitionChange change, Partition from, Optional<Found> table, TableId now)
      throws SQLException {
    TableId parent = targetOf.apply(from.parent());
    if (table.isPresent()) {
      run(List.of("ALTER TABLE %s DETACH PARTITION %s".formatted(parent.quoted(), now.quoted())));
      LOG.info("table {} is no partition of {} any more on the target", now, parent);
      return;
    }
    if (change.begins()) {
      throw refused(
          change.after(),
          "was a partition of %s, which has no such partition on the target".formatted(parent));
    }
    deletePart(from);
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
        deletePart(partition);
      }
    }
    if (!gone.isEmpty()) {
      String names = gone.stream().map(TableId::quoted).collect(Collectors.joining(", "));
      try {
        run(List.of("DROP TABLE " + names));
      } catch (SQLException e) {
        throw dependent(e, names);
      }
      LOG.info("dropped on the target: {}", gone);
    }
  }

  /** What a partition held goes out of a table that has not the same partition. */
  private void deletePart(Partition partition) throws SQLException {
    TableId parent = targetOf.apply(partition.parent());
    TableId holder = target.find(parent).isPresent() ? parent : targetOf.apply(partition.root());
    if (target.find(holder).isPresent() && partition.condition() != null) {
      connection.execute(
          "DELETE FROM %s WHERE (%s)".formatted(holder.quoted(), partition.condition()));
    }
  }

  private void alter(DefinitionChange change, TableId now, DefinitionChanges all)
      throws SQLException {
    Optional<Found> found = target.find(now);
    if (found.isEmpty()) {
      throw refused(change.after(), "is not there to be altered");
    }
    TableAlteration alteration =
        new TableAlteration(
            change,
            found.get(),
            all.plainCasts(),
            target.hasRows(now),
            new NewTable(change.after(), now, targetOf));
    List<String> before = alteration.beforeTypes();
    List<String> types = alteration.types();
    try {
      run(before);
      if (!types.isEmpty()) {
        target.withSettings(all.settings(), () -> run(types));
      }
      run(alteration.afterTypes());
    } catch (SQLException e) {
      throw dependent(e, now.toString());
    }
    runWhereTaken(alteration.defaults());
    if (alteration.changesAnything()) {
      LOG.info("table {} altered on the target: {}", now, alteration);
    }
    alteration
        .notReplicated()
        .forEach(what -> LOG.info("table {}: {} is not replicated", now, what));
  }

  private void makeUnlessThere(DefinitionStatement statement) throws SQLException {
    if (statement.unless().isEmpty() || !connection.exists(statement.unless())) {
      connection.execute(statement.sql());
    }
  }

  private void run(List<String> statements) throws SQLException {
    for (String statement : statements) {
      connection.execute(statement);
    }
  }

  /**
   * Runs what the target may lack the functions for, or may be laid out otherwise for; whether all
   * was taken.
   */
  private boolean runWhereTaken(List<String> statements) throws SQLException {
    boolean all = true;
    for (String statement : statements) {
      connection.execute("SAVEPOINT optional");
      try {
        connection.execute(statement);
      } catch (SQLException e) {
        if (!String.valueOf(e.getSQLState()).startsWith("42")) {
          throw e;
        }
        connection.execute("ROLLBACK TO SAVEPOINT optional");
        LOG.warn("the target does not take: {}: {}", statement, e.getMessage());
        all = false;
      }
      connection.execute("RELEASE SAVEPOINT optional");
    }
    return all;
  }

  /** Another object of the target's own needs what goes: it is not dropped behind its back. */
  private static RuntimeException dependent(SQLException error, String what) throws SQLException {
    if ("2BP01".equals(error.getSQLState())) {
      throw new SluiceException.Data(
          "%s cannot be altered or dropped as on the source: %s; drop what depends on it on the target"
              .formatted(what, error.getMessage().replaceAll("\\s*\\n\\s*", "; ")),
          error);
    }
    throw error;
  }

  private SluiceException refused(TableDefinition definition, String why) {
    return new SluiceException.Data(
        "target table %s %s; load the table again"
            .formatted(targetOf.apply(definition.table()), why),
        null);
  }

  private static String tables(List<DefinitionChange> changes) {
    return changes.stream()
        .map(change -> change.table().toString())
        .distinct()
        .collect(Collectors.joining(", "));
  }
}
