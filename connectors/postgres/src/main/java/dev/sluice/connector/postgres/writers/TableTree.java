package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Tables with all their partitions and other children, as a transaction sees them. Foreign tables
 * are not among them: they have no rows here. Immutable.
 */
record TableTree(List<Member> members) {

  /** With the oids and one row for each path to a table. */
  private static final String RECURSION =
      """
      WITH RECURSIVE wanted AS (
        SELECT c.oid FROM unnest(%s::text[], %s::text[]) AS named (schema_name, table_name)
        JOIN pg_catalog.pg_namespace n ON n.nspname = named.schema_name
        JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = named.table_name),
      tree (oid, is_root) AS (
        SELECT oid, true FROM wanted
        UNION
        SELECT i.inhrelid, false FROM tree JOIN pg_catalog.pg_inherits i
          ON i.inhparent = tree.oid)
      """;

  private static final String MEMBERS =
      """
          , mine AS MATERIALIZED (
            SELECT l.relation FROM pg_catalog.pg_locks l
            WHERE l.pid = pg_catalog.pg_backend_pid() AND l.locktype = 'relation'
              AND l.mode = 'ShareRowExclusiveLock' AND l.granted)
          SELECT c.oid::int8, n.nspname, c.relname, bool_or(tree.is_root), c.relkind = 'p',
            c.oid IN (SELECT relation FROM mine),
            EXISTS (SELECT FROM pg_catalog.pg_trigger g
              WHERE g.tgrelid = c.oid AND g.tgname = '!sluice_moved')
          FROM tree JOIN pg_catalog.pg_class c ON c.oid = tree.oid
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE c.relkind IN ('r', 'p')
          GROUP BY c.oid, n.nspname, c.relname, c.relkind
          ORDER BY n.nspname, c.relname""";

  /**
   * A table of a tree.
   *
   * @param root whether it was asked for by its name
   * @param partitioned whether its rows are in partitions
   * @param locked whether this session has locked it against writers
   * @param closed whether a cutover has closed it for writers
   */
  record Member(
      long oid, TableId table, boolean root, boolean partitioned, boolean locked, boolean closed) {}

  /** The query for {@link #of}. */
  static String query(Collection<TableId> roots) {
    return recursion(roots) + MEMBERS;
  }

  /** The beginning of a query that can read the table's oids from {@code tree}. */
  static String recursion(Collection<TableId> roots) {
    return RECURSION.formatted(schemas(roots), names(roots));
  }

  static TableTree of(List<List<String>> rows) {
    return new TableTree(
        rows.stream()
            .map(
                row ->
                    new Member(
                        Long.parseLong(row.get(0)),
                        new TableId(row.get(1), row.get(2)),
                        row.get(3).equals("t"),
                        row.get(4).equals("t"),
                        row.get(5).equals("t"),
                        row.get(6).equals("t")))
            .toList());
  }

  Set<TableId> tables() {
    return members.stream().map(Member::table).collect(Collectors.toCollection(TreeSet::new));
  }

  /** The tables that were asked for. */
  List<TableId> roots() {
    return members.stream().filter(Member::root).map(Member::table).toList();
  }

  boolean isLocked() {
    return members.stream().allMatch(Member::locked);
  }

  List<TableId> closed() {
    return members.stream().filter(Member::closed).map(Member::table).toList();
  }

  /** The oids as an array of SQL. */
  String oids() {
    return oids(members);
  }

  /** The roots whose later partitions inherit a trigger. */
  String partitionedRoots() {
    return oids(members.stream().filter(each -> each.root() && each.partitioned()).toList());
  }

  private static String oids(List<Member> members) {
    return members.stream()
        .map(each -> Long.toString(each.oid()))
        .collect(Collectors.joining(",", "'{", "}'::oid[]"));
  }

  private static String schemas(Collection<TableId> tables) {
    return array(tables.stream().map(TableId::schema).toList());
  }

  private static String names(Collection<TableId> tables) {
    return array(tables.stream().map(TableId::name).toList());
  }

  private static String array(List<String> texts) {
    return texts.stream().map(SqlLiteral::of).collect(Collectors.joining(",", "ARRAY[", "]"));
  }
}
