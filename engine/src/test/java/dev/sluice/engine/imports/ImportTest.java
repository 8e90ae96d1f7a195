package dev.sluice.engine.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import dev.sluice.engine.command.CommandLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** The command import, on a real server, as it is typed. */
class ImportTest {
  private static EmbeddedPostgres target;

  @TempDir Path home;
  private Path folder;
  private String database;
  private String role = "postgres";

  @BeforeAll
  static void start() {
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() {
    target.close();
  }

  @BeforeEach
  void make(TestInfo test) throws Exception {
    database = test.getTestMethod().orElseThrow().getName().toLowerCase().substring(0, 20);
    target.createDatabase(database);
    folder = Files.createDirectory(home.resolve("files"));
  }

  @Test
  void filesGoIntoTheTablesOfTheirNamesInPartsPackedAndInBothFormats() throws Exception {
    sql(
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.orders (id int PRIMARY KEY, note text, twice int GENERATED ALWAYS AS"
            + " (id * 2) STORED)",
        "CREATE TABLE items (id int, name text)",
        "CREATE TABLE \"Odd.Name\" (a int, b text DEFAULT 'd')");
    Files.writeString(folder.resolve("shop.orders.1.csv"), "1,\"a\nb\"\n2,\n");
    write(folder.resolve("shop.orders.2.csv.gz"), "3,\"\"\n4,x\n");
    Files.writeString(folder.resolve("items.txt"), "1\ta\\tb\n2\t\\N\n\\.\n");
    Files.writeString(folder.resolve("parts-7.dat"), "b|a\n'x''y'|5\n");
    Files.writeString(folder.resolve("README"), "no rows");

    Finished finished =
        run(
            "{}",
            """
            import:
              files:
                - file: parts-*.dat
                  table: public."Odd.Name"
                  delimiter: "|"
                  quote: "'"
                  header: true
            """);

    assertThat(finished.output()).contains("note: not imported", "README", "4 files, 7 rows");
    assertThat(finished.exitCode()).isZero();
    assertThat(
            text(
                "SELECT string_agg(id || coalesce('=' || note, '') || twice, ';' ORDER BY id)"
                    + " FROM shop.orders"))
        .isEqualTo("1=a\nb2;24;3=6;4=x8");
    assertThat(text("SELECT string_agg(id || coalesce(name, '-'), ';' ORDER BY id) FROM items"))
        .isEqualTo("1a\tb;2-");
    assertThat(text("SELECT a || b FROM \"Odd.Name\"")).isEqualTo("5x'y");
  }

  @Test
  void everyProblemIsReportedAtOnce() throws Exception {
    sql("CREATE TABLE known (id int, name text NOT NULL)");
    Files.writeString(folder.resolve("missing.csv"), "1\n");
    Files.writeString(folder.resolve("known.1.csv"), "id,nam\n1,a\n");
    Files.writeString(folder.resolve("known.2.csv.gz"), "no gzip");
    Finished finished =
        run(
            "{Import: {Header: true}}",
            "import: {files: [{file: nowhere.csv, table: public.known}]}\n");
    assertThat(finished.exitCode()).isEqualTo(2);
    assertThat(finished.output())
        .contains(
            "is named nowhere.csv",
            "target table public.missing, for missing.csv",
            "known.1.csv, its header",
            "public.known has no column \"nam\"",
            "Did you mean \"name\"?",
            "known.2.csv.gz",
            "packed by gzip");
    finished = run("{Import: {Delimiter: \"ab\", BatchSize: 0}}", "import: {file: x}\n");
    assertThat(finished.output()).contains("BatchSize", "Delimiter", "unknown key \"file\"");
  }

  @Test
  void aBadRowEndsTheImportWithFileLineAndColumnAndNothingOfItsBatchIsIn() throws Exception {
    sql("CREATE TABLE t (id int PRIMARY KEY, n numeric CHECK (n > 0))");
    Path file = Files.writeString(folder.resolve("t.csv"), "1,1\n2,2\n3,3\n4,abc\n5,5\n");
    Finished finished = run("{Import: {BatchSize: 2, ParallelJobs: 1}}", "");
    assertThat(finished.exitCode()).isEqualTo(1);
    assertThat(finished.output())
        .contains("t.csv, line 4: public.t does not take the row: column n: invalid input syntax")
        .contains("(from line 3 on)");
    assertThat(text("SELECT string_agg(id::text, ',' ORDER BY id) FROM t")).isEqualTo("1,2");

    Files.writeString(file, "1,1\n2,2\n3,3\n4,4\n5,5\n");
    assertThat(run("{Import: {BatchSize: 2}}", "").output())
        .contains("t.csv", "has changed since its import began");
    sql("TRUNCATE t");
    finished = run("{Import: {BatchSize: 2}}", "", "--start-clean");
    assertThat(finished.exitCode()).as(finished.output()).isZero();
    assertThat(text("SELECT count(*) FROM t")).isEqualTo("5");
    assertThat(run("{Import: {BatchSize: 2}}", "", "--start-clean").output())
        .contains("target table public.t", "has rows");
  }

  @Test
  void badRowsOfEveryKindArePutAsideWithLineAndReason() throws Exception {
    sql(
        "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, m text CHECK (m <> 'no'))",
        "INSERT INTO t VALUES (100, 1, 'there')");
    Files.writeString(
        folder.resolve("t.csv"),
        """
        1,1,a
        2,x,"b
        b"
        3,3
        4,4,d,4
        5,,e
        6,6,no
        1,7,again
        100,8,there
        9,9,"i

        i"
        99999999999,1,big
        10,10,j
        """);
    Finished finished = run("{Import: {ErrorPolicy: stash, ParallelJobs: 2}}", "");
    assertThat(finished.exitCode()).as(finished.output()).isEqualTo(3);
    assertThat(finished.output()).contains("t.csv: 3 rows in public.t, 8 bad rows in t.csv.bad");
    assertThat(text("SELECT string_agg(id || m, ';' ORDER BY id) FROM t"))
        .isEqualTo("1a;9i\n\ni;10j;100there");
    String bad = Files.readString(folder.resolve("t.csv.bad"));
    assertThat(bad.lines().filter(line -> !line.startsWith("#")))
        .containsExactly(
            "2,x,\"b",
            "b\"",
            "3,3",
            "4,4,d,4",
            "5,,e",
            "6,6,no",
            "1,7,again",
            "100,8,there",
            "99999999999,1,big");
    assertThat(bad.lines().filter(line -> line.startsWith("# line")))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("# line 2: column n: invalid input syntax"),
            line -> assertThat(line).startsWith("# line 4: ").contains("missing data"),
            line -> assertThat(line).startsWith("# line 5: extra data"),
            line -> assertThat(line).startsWith("# line 6: column n: null value"),
            line -> assertThat(line).startsWith("# line 7: ").contains("check constraint"),
            line -> assertThat(line).startsWith("# line 8: ").contains("Key (id)=(1) already"),
            line -> assertThat(line).startsWith("# line 9: ").contains("Key (id)=(100) already"),
            line -> assertThat(line).startsWith("# line 13: column id: value").contains("range"));
    assertThat(run("{Import: {ErrorPolicy: stash}}", "").exitCode()).isEqualTo(3);
    assertThat(Files.readString(folder.resolve("t.csv.bad"))).isEqualTo(bad);
  }

  @Test
  void moreBadRowsThanAllowedEndTheImport() throws Exception {
    sql("CREATE TABLE t (id int)");
    Files.writeString(folder.resolve("t.csv"), "1\na\nb\nc\n2\n");
    Finished finished = run("{Import: {ErrorPolicy: stash, MaxBadRows: 2}}", "");
    assertThat(finished.exitCode()).isEqualTo(1);
    assertThat(finished.output()).contains("more than 2 rows are bad", "t.csv, line 4");
    assertThat(text("SELECT count(*) FROM t")).isEqualTo("0");
    finished = run("{Import: {ErrorPolicy: stash, MaxBadRows: 3}}", "");
    assertThat(finished.exitCode()).isEqualTo(3);
    assertThat(text("SELECT count(*) FROM t")).isEqualTo("2");
  }

  @Test
  void aFileOfBadRowsOfSomebodyElseIsNotTouched() throws Exception {
    sql("CREATE TABLE t (id int)");
    Files.writeString(folder.resolve("t.csv"), "1\n");
    Files.writeString(folder.resolve("t.csv.bad"), "mine");
    Finished finished = run("{Import: {ErrorPolicy: stash}}", "");
    assertThat(finished.exitCode()).isEqualTo(2);
    assertThat(finished.output()).contains("t.csv.bad", "Move it away");
    assertThat(Files.readString(folder.resolve("t.csv.bad"))).isEqualTo("mine");
  }

  @Test
  void rowsAreOnlyInWithTheirNoteInTheJournal() throws Exception {
    sql("CREATE TABLE t (id int)");
    Files.writeString(folder.resolve("s.csv"), "1\n");
    Files.writeString(folder.resolve("t.csv"), "1\n2\n");
    sql("CREATE TABLE s (id int)");
    Files.move(folder.resolve("t.csv"), home.resolve("t.csv"));
    assertThat(run("{}", "").exitCode()).isZero();
    Files.move(home.resolve("t.csv"), folder.resolve("t.csv"));
    sql("ALTER TABLE sluice_control.import_batch ADD CONSTRAINT broken CHECK (rows <> 2)");
    Finished finished = run("{}", "");
    assertThat(finished.exitCode()).isEqualTo(1);
    assertThat(finished.output()).contains("broken");
    assertThat(text("SELECT count(*) FROM t")).isEqualTo("0");
    sql("ALTER TABLE sluice_control.import_batch DROP CONSTRAINT broken");
    assertThat(run("{}", "").exitCode()).isZero();
    assertThat(text("SELECT count(*) FROM t")).isEqualTo("2");
  }

  @Test
  void goodRowsAreOnlyInWhereTheBadOnesOfTheirBatchArePutAside() throws Exception {
    sql("CREATE TABLE t (id int)");
    Files.writeString(folder.resolve("t.csv"), "1\nx\n2\n");
    Path bad = folder.resolve("t.csv.bad");
    Files.createSymbolicLink(bad, home.resolve("not-there").resolve("t.csv.bad"));
    Finished finished = run("{Import: {ErrorPolicy: stash}}", "");
    assertThat(finished.exitCode()).isEqualTo(2);
    assertThat(finished.output()).contains("t.csv.bad", "cannot be written");
    assertThat(text("SELECT count(*) FROM t")).isEqualTo("0");
    Files.delete(bad);
    assertThat(run("{Import: {ErrorPolicy: stash}}", "").exitCode()).isEqualTo(3);
    assertThat(Files.readString(bad)).endsWith("\nx\n");
    assertThat(text("SELECT count(*) FROM t")).isEqualTo("2");
  }

  @Test
  void whatWasPutAsideAndNeverCommittedIsCutOffAtTheNextStart() throws Exception {
    sql("CREATE TABLE t (id int)");
    Files.writeString(folder.resolve("t.csv"), "1\nx\n2\ny\n3\nz\n");
    assertThat(run("{Import: {ErrorPolicy: stash, BatchSize: 2, ParallelJobs: 1}}", "").exitCode())
        .isEqualTo(3);
    String whole = Files.readString(folder.resolve("t.csv.bad"));
    // As after a kill between the writing of the last row and its commit.
    sql(
        "DELETE FROM t WHERE id = 3",
        "UPDATE sluice_control.import_file SET end_byte = NULL",
        "DELETE FROM sluice_control.import_batch WHERE bad_file_end ="
            + " (SELECT max(bad_file_end) FROM sluice_control.import_batch)");
    assertThat(run("{Import: {ErrorPolicy: stash, BatchSize: 2, ParallelJobs: 1}}", "").exitCode())
        .isEqualTo(3);
    assertThat(Files.readString(folder.resolve("t.csv.bad"))).isEqualTo(whole);
    assertThat(text("SELECT string_agg(id::text, ',' ORDER BY id) FROM t")).isEqualTo("1,2,3");
  }

  @Test
  void foreignKeysAreOffWhileRowsComeAndComparedAtTheEnd() throws Exception {
    sql(
        "CREATE TABLE parent (a int, b int, PRIMARY KEY (a, b))",
        "CREATE TABLE child (id int, a int, b int,"
            + " CONSTRAINT has_parent FOREIGN KEY (a, b) REFERENCES parent)");
    Files.writeString(folder.resolve("child.csv"), "1,1,1\n2,1,2\n3,,2\n4,3,3\n");
    Files.writeString(folder.resolve("parent.csv"), "1,1\n1,2\n");
    Finished finished = run("{}", "");
    assertThat(finished.exitCode()).isEqualTo(1);
    assertThat(finished.output())
        .contains("foreign key has_parent of public.child: 1 row has no row of public.parent");
    sql("INSERT INTO parent VALUES (3, 3)");
    finished = run("{}", "");
    assertThat(finished.exitCode()).as(finished.output()).isZero();

    sql("TRUNCATE child, parent", "INSERT INTO parent VALUES (1, 1), (1, 2)");
    Files.delete(folder.resolve("parent.csv"));
    finished =
        run("{Import: {ForeignKeysAndTriggers: true, ErrorPolicy: stash}}", "", "--start-clean");
    assertThat(finished.exitCode()).as(finished.output()).isEqualTo(3);
    assertThat(Files.readString(folder.resolve("child.csv.bad")))
        .contains("# line 4: ", "violates foreign key", "\n4,3,3\n");
    assertThat(text("SELECT count(*) FROM child")).isEqualTo("3");
  }

  @Test
  void theForeignKeyThatAPartitionHasFromAboveIsComparedWhereItsRowsCameAlone() throws Exception {
    sql(
        "CREATE TABLE parent (a int PRIMARY KEY) PARTITION BY RANGE (a)",
        "CREATE TABLE parent_1 PARTITION OF parent FOR VALUES FROM (0) TO (5)",
        "CREATE TABLE parent_2 PARTITION OF parent FOR VALUES FROM (5) TO (10)",
        "CREATE TABLE child (a int, CONSTRAINT has_parent FOREIGN KEY (a) REFERENCES parent)"
            + " PARTITION BY RANGE (a)",
        "CREATE TABLE child_1 PARTITION OF child FOR VALUES FROM (0) TO (10)",
        "INSERT INTO parent VALUES (1), (7)");
    Files.writeString(folder.resolve("child_1.csv"), "1\n2\n7\n");
    Finished finished = run("{}", "");
    assertThat(finished.exitCode()).as(finished.output()).isEqualTo(1);
    assertThat(finished.output())
        .containsOnlyOnce("foreign key ")
        .contains("of public.child_1: 1 row has no row of public.parent");

    sql("INSERT INTO parent VALUES (2)");
    assertThat(run("{}", "").exitCode()).isZero();
  }

  @Test
  void rowsOfInheritingTablesHaveNoPartInAForeignKeyAndCollationsMayDiffer() throws Exception {
    sql(
        "CREATE TABLE parent (a text COLLATE \"POSIX\" PRIMARY KEY)",
        "CREATE TABLE heir () INHERITS (parent)",
        "INSERT INTO parent VALUES ('x')",
        "INSERT INTO heir VALUES ('y')",
        "CREATE TABLE child (a text COLLATE \"C\","
            + " CONSTRAINT has_parent FOREIGN KEY (a) REFERENCES parent)",
        "CREATE TABLE young () INHERITS (child)",
        "INSERT INTO young VALUES ('no key holds for it')");
    Files.writeString(folder.resolve("child.csv"), "x\ny\n");
    Finished finished = run("{}", "");
    assertThat(finished.exitCode()).as(finished.output()).isEqualTo(1);
    assertThat(finished.output())
        .contains("foreign key has_parent of public.child: 1 row has no row of public.parent");
  }

  /** As by an import on another machine, which is about to commit while this one looks. */
  @Test
  void rowsThatAnotherImportCommitsBeforeItIsFencedKeepAStartFromBeingClean() throws Exception {
    sql("CREATE TABLE t (id int)");
    Files.writeString(folder.resolve("t.csv"), "1\n2\n");
    assertThat(run("{}", "").exitCode()).isZero();
    sql("TRUNCATE t");
    CompletableFuture<Finished> clean;
    try (Connection other = target.connect(database)) {
      other.setAutoCommit(false);
      Sql.execute(other, "SELECT FROM sluice_control.import_task FOR SHARE");
      Sql.execute(other, "INSERT INTO t VALUES (1)");
      clean =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return run("{}", "", "--start-clean");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      String claims =
          "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
              + " AND datname = current_database() AND query LIKE '%import_task%'";
      while (text(claims).equals("0")) {
        assertThat(clean).isNotDone();
        Thread.sleep(20);
      }
      other.commit();
    }

    assertThat(clean.get(5, TimeUnit.MINUTES).exitCode()).isEqualTo(2);
    assertThat(clean.get().output()).contains("target table public.t", "has rows");
    assertThat(text("SELECT count(*) FROM t")).isEqualTo("1");
  }

  @Test
  void aFileThatChangedIsRefusedByNameAndOneThatIsInIsNotReadAgain() throws Exception {
    sql("CREATE TABLE t (id int)");
    Path file = Files.writeString(folder.resolve("t.csv"), "1\n2\n");
    FileTime modified = Files.getLastModifiedTime(file);
    assertThat(run("{}", "").exitCode()).isZero();
    assertThat(run("{Import: {Header: true, BatchSize: 1}}", "").output())
        .contains("has no column");
    assertThat(run("{}", "").exitCode()).isZero();
    assertThat(text("SELECT count(*) FROM t")).isEqualTo("2");
    Files.writeString(file, "1\n3\n");
    Files.setLastModifiedTime(file, modified);
    Finished finished = run("{}", "");
    assertThat(finished.exitCode()).isEqualTo(2);
    assertThat(finished.output()).contains(file.toString(), "has changed since its import began");
    Files.writeString(file, "1\n2\n");
    Files.setLastModifiedTime(file, modified);
    assertThat(run("{}", "").exitCode()).isZero();
  }

  @Test
  void aRoleThatMayNotReadReferencedTablesIsReportedBeforeARowIsLoaded() throws Exception {
    sql(
        "CREATE TABLE parent (a int PRIMARY KEY)",
        "CREATE TABLE child (a int REFERENCES parent)",
        "CREATE ROLE writer LOGIN",
        "GRANT CREATE ON DATABASE %s TO writer".formatted(database),
        "GRANT INSERT ON parent, child TO writer",
        "GRANT SELECT ON child TO writer",
        "GRANT SET ON PARAMETER session_replication_role TO writer");
    Files.writeString(folder.resolve("parent.csv"), "1\n");
    Files.writeString(folder.resolve("child.csv"), "1\n");
    role = "writer";
    Finished finished = run("{}", "");
    assertThat(finished.exitCode()).as(finished.output()).isEqualTo(2);
    assertThat(finished.output())
        .contains(
            "target table public.child",
            "writer may not read [public.parent]",
            "GRANT SELECT ON \"public\".\"parent\" TO \"writer\"");
    assertThat(text("SELECT count(*) FROM child")).isEqualTo("0");

    sql("GRANT SELECT ON parent TO writer");
    finished = run("{}", "");
    assertThat(finished.exitCode()).as(finished.output()).isZero();

    sql("REVOKE SELECT ON parent, child FROM writer");
    Files.writeString(folder.resolve("child.2.csv"), "1\n");
    finished = run("{Import: {ForeignKeysAndTriggers: true}}", "");
    assertThat(finished.exitCode()).as(finished.output()).isZero();
    assertThat(text("SELECT count(*) FROM child")).isEqualTo("2");
  }

  private Finished run(String settings, String section, String... options) throws IOException {
    Path task = home.resolve("task.yaml");
    Files.writeString(
        task,
        """
        task: import-test
        target: {type: postgresql, url: "postgresql://%s@127.0.0.1:%d/%s"}
        task-settings: %s
        %s
        """
            .formatted(role, target.port(), database, settings, section));
    String[] words = new String[3 + options.length];
    words[0] = "import";
    words[1] = task.toString();
    words[2] = folder.toString();
    System.arraycopy(options, 0, words, 3, options.length);
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (PrintStream both = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      System.setOut(both);
      System.setErr(both);
      return new Finished(CommandLines.run(words), text.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private void sql(String... statements) throws SQLException {
    try (Connection connection = target.connect(database)) {
      for (String statement : statements) {
        Sql.execute(connection, statement);
      }
    }
  }

  private String text(String query) throws SQLException {
    return Sql.text(target, database, query);
  }

  private static void write(Path path, String text) throws IOException {
    try (GZIPOutputStream packed = new GZIPOutputStream(Files.newOutputStream(path))) {
      packed.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private record Finished(int exitCode, String output) {}
}
