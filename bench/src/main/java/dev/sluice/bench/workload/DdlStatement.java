package dev.sluice.bench.workload;

import java.util.List;
import java.util.function.IntFunction;

/**
 * A kind of DDL statement of an application. Immutable.
 *
 * @param name what it is, for the table
 * @param times how often a run executes it, each time with the next number from 0 on
 * @param freshSession whether each is the first statement of a session
 * @param timed the statement
 * @param undo what is executed after each, untimed
 */
public record DdlStatement(
    String name,
    int times,
    boolean freshSession,
    IntFunction<String> timed,
    IntFunction<String> undo) {

  /**
   * All kinds, over the tables that {@link #tables} makes.
   *
   * @param times how often each is executed, those on the root a tenth as often
   */
  public static List<DdlStatement> all(int times) {
    int rare = Math.max(1, times / 10);
    return List.of(
        new DdlStatement(
            "CREATE TEMPORARY TABLE",
            times * 5,
            false,
            i -> "CREATE TEMPORARY TABLE passing (id int PRIMARY KEY, v text)",
            i -> "DROP TABLE passing"),
        new DdlStatement(
            "DROP TABLE of a temporary one",
            times * 5,
            false,
            i -> "DROP TABLE IF EXISTS pg_temp.passing",
            i -> "CREATE TEMPORARY TABLE passing (id int PRIMARY KEY, v text)"),
        new DdlStatement(
            "ALTER TABLE ADD COLUMN",
            times,
            false,
            i -> "ALTER TABLE t" + i + " ADD COLUMN added int DEFAULT 7",
            i -> "ALTER TABLE t" + i + " DROP COLUMN added"),
        new DdlStatement(
            "the same, first of a session",
            times,
            true,
            i -> "ALTER TABLE t" + i + " ADD COLUMN added int DEFAULT 7",
            i -> "ALTER TABLE t" + i + " DROP COLUMN added"),
        new DdlStatement(
            "CREATE TABLE",
            times,
            false,
            i -> "CREATE TABLE made" + i + " (id bigint PRIMARY KEY, a text, b int)",
            i -> "DROP TABLE made" + i),
        new DdlStatement(
            "CREATE INDEX",
            times,
            false,
            i -> "CREATE INDEX found" + i + " ON t" + i + " (a)",
            i -> "DROP INDEX found" + i),
        new DdlStatement(
            "ADD COLUMN to the root of all partitions",
            rare,
            false,
            i -> "ALTER TABLE root ADD COLUMN added int DEFAULT 7",
            i -> "ALTER TABLE root DROP COLUMN added"));
  }

  /** Makes the tables, not one transaction of all of them: each locks what it makes. */
  public static List<String> tables(int tables, int partitions) {
    String made =
        "DO $$ BEGIN FOR i IN 0..%d LOOP EXECUTE format('%s', %s);"
            + " IF i %% 50 = 0 THEN COMMIT; END IF; END LOOP; END $$";
    return List.of(
        made.formatted(
            tables - 1,
            "CREATE TABLE t%s (id bigint PRIMARY KEY, a text, b text, c int, d numeric, e date,"
                + " f timestamptz DEFAULT now(), g text, h int)",
            "i"),
        "CREATE TABLE root (id bigint PRIMARY KEY, a text, b int) PARTITION BY RANGE (id)",
        made.formatted(
            partitions - 1,
            "CREATE TABLE part%s PARTITION OF root FOR VALUES FROM (%s) TO (%s)",
            "i, i * 10, i * 10 + 10"));
  }
}
