package dev.sluice.target.mariadb;

import static dev.sluice.sink.apply.TargetLab.change;
import static dev.sluice.sink.apply.TargetLab.delete;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.Round;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Updates that name the keys of their rows as literals. */
class NamedUpdateTest {
  private static final int ROWS = 1203;
  private static final int ALL = 20_000;

  private TargetLab lab;

  @BeforeEach
  void open() throws SQLException {
    lab = MariadbLab.open();
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  /** What looks alike in a list of literals, and no key that the set does not have. */
  @ParameterizedTest
  @ValueSource(
      strings = {"varchar(20)", "char(20)", "varchar(255)", "varchar(256)", "varchar(700)"})
  void onlyTheRowsOfTheSetChangeWhateverTheirKeysLookLike(String type) throws SQLException {
    lab.run(
        "CREATE TABLE dst.t (k "
            + type
            + " PRIMARY KEY, v int) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin");
    List<String> keys =
        List.of(
            "a", "A", "ä", "a'b", "a''b", "'", "\\", "\\'", "?", "{a}", "/*", "--", "1", "01", "");
    lab.run("INSERT INTO dst.t VALUES ('b', 0), ('B', 0), ('1.0', 0), ('a''''''b', 0)");
    RowSchema schema = schema("t", "*k text", "v int");
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      keys.stream()
                          .map(key -> TargetLab.insert(row(key, "1")))
                          .toArray(NetChange[]::new)))));
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      keys.stream()
                          .map(key -> change(row(key), row(key, "2")))
                          .toArray(NetChange[]::new)))));
    }
    assertThat(lab.replays()).isZero();
    assertThat(lab.rows("SELECT v, COUNT(*) FROM dst.t GROUP BY v ORDER BY v"))
        .containsExactly("0|4", "2|" + keys.size());
  }

  /** As PostgreSQL sends it: the server's value of it has no trailing spaces. */
  @ParameterizedTest(name = "ordered: {0}")
  @ValueSource(booleans = {false, true})
  void aKeyThatIsPaddedToItsFullLengthFindsItsRow(boolean ordered) throws SQLException {
    lab.run(
        "CREATE TABLE dst.t (k char(5), l int, v int, PRIMARY KEY (k, l)) COLLATE utf8mb4_nopad_bin",
        "INSERT INTO dst.t VALUES ('ab', 1, 0), ('ab', 2, 0), ('ä', 1, 0), ('', 1, 0),"
            + " ('abcde', 1, 0), ('gone', 1, 0)");
    RowSchema schema = schema("t", "*k character(5)", "*l int", "v int");
    List<Row> keys =
        List.of(row("ab   ", "1"), row("ä    ", "1"), row("     ", "1"), row("abcde", "1"));
    List<Row> rows =
        List.of(
            row("ab   ", "1", "1"),
            row("ä    ", "1", "2"),
            row("     ", "1", "3"),
            row("abcde", "1", "4"));
    Row gone = row("gone ", "1");
    Round round =
        ordered
            ? new Round.Ordered(
                List.of(),
                Stream.concat(
                        IntStream.range(0, keys.size())
                            .mapToObj(i -> new RowChange(schema, keys.get(i), rows.get(i))),
                        Stream.of(new RowChange(schema, gone, null)))
                    .toList())
            : net(
                keyed(
                    schema,
                    Stream.concat(
                            IntStream.range(0, keys.size())
                                .mapToObj(i -> change(keys.get(i), rows.get(i))),
                            Stream.of(delete(gone)))
                        .toArray(NetChange[]::new)));
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(lab.window(round));
    }
    assertThat(lab.replays()).isZero();
    assertThat(lab.rows("SELECT k, l, v FROM dst.t ORDER BY v"))
        .containsExactly("ab|2|0", "ab|1|1", "ä|1|2", "|1|3", "abcde|1|4");
  }

  /** The server needs no temporary table of its own for them, and reads no other rows. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "k int; k",
        "k bigint unsigned; k",
        "k int, l varchar(9); k, l",
        "l varchar(9), k int; k, l"
      })
  void theServerReadsAndChangesTheRowsOfTheSetAtOnce(String columns, String primary)
      throws SQLException {
    lab.run(
        "CREATE TABLE dst.t (%s, v longtext, w int, PRIMARY KEY (%s)) COLLATE utf8mb4_nopad_bin"
            .formatted(columns, primary),
        "INSERT INTO dst.t (k, %s v, w) SELECT seq, %s 'before', 7 FROM seq_1_to_%d"
            .formatted(
                columns.contains("l ") ? "l," : "", columns.contains("l ") ? "'it''s'," : "", ALL));
    boolean two = columns.contains("l ");
    boolean turned = columns.startsWith("l");
    RowSchema schema =
        !two
            ? schema("t", "*k int", "v text", "w int")
            : turned
                ? schema("t", "*l text", "*k int", "v text", "w int")
                : schema("t", "*k int", "*l text", "v text", "w int");
    NetChange[] changes =
        IntStream.range(0, ROWS)
            .mapToObj(i -> Integer.toString(1 + i * 16))
            .map(
                k ->
                    !two
                        ? change(row(k), row(k, "after", "7"))
                        : turned
                            ? change(row("it's", k), row("it's", k, "after", "7"))
                            : change(row(k, "it's"), row(k, "it's", "after", "7")))
            .toArray(NetChange[]::new);
    try (BatchApplier applier = lab.applier(0)) {
      // The catalog is read before the first window.
      applier.apply(lab.window(net(keyed(schema, changes[0]))));
      long collected = status("Handler_tmp_write");
      long read = rowsRead();
      applier.apply(lab.window(net(keyed(schema, changes))));
      assertThat(status("Handler_tmp_write") - collected).isLessThan(ROWS);
      assertThat(rowsRead() - read).isLessThan(ALL);
    }
    assertThat(
            lab.rows("SELECT v, w, COUNT(*), SUM(k % 16 = 1) FROM dst.t GROUP BY v, w ORDER BY v"))
        .containsExactly(
            "after|7|%d|%d".formatted(ROWS, ROWS),
            "before|7|%d|%d".formatted(ALL - ROWS, (ALL + 15) / 16 - ROWS));
  }

  /** Each takes at most 500 values, and keys of at most 64 KB. */
  @ParameterizedTest
  @CsvSource({"1, 2", "2, 3", "250, 3"})
  void aStatementNamesNoMoreThanItCanTake(int length, int statements) throws SQLException {
    lab.run(
        "CREATE TABLE dst.t (k varchar(254), v int, %sPRIMARY KEY (k%s)) COLLATE utf8mb4_nopad_bin"
            .formatted(length == 2 ? "l int, " : "", length == 2 ? ", l" : ""));
    String[] columns =
        length == 2
            ? new String[] {"*k text", "*l int", "v int"}
            : new String[] {"*k text", "v int"};
    RowSchema schema = schema("t", columns);
    List<String> keys =
        IntStream.rangeClosed(1, 600).mapToObj(i -> "x".repeat(length) + (1000 + i)).toList();
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      keys.stream()
                          .map(k -> TargetLab.insert(length == 2 ? row(k, "1", "0") : row(k, "0")))
                          .toArray(NetChange[]::new)))));
      long before = status("Com_update_multi");
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      keys.stream()
                          .map(
                              k ->
                                  length == 2
                                      ? change(row(k, "1"), row(k, "1", "1"))
                                      : change(row(k), row(k, "1")))
                          .toArray(NetChange[]::new)))));
      assertThat(status("Com_update_multi") - before).isEqualTo(statements);
    }
    assertThat(lab.replays()).isZero();
    assertThat(lab.rows("SELECT v, COUNT(*) FROM dst.t GROUP BY v")).containsExactly("1|600");
  }

  /** It would read what it sets, for which the server collects all rows first. */
  @Test
  void anUpdateThatKeepsTheTimesOfTheTargetNamesNoKeys() throws SQLException {
    lab.run(
        "CREATE TABLE dst.t (k int PRIMARY KEY, v int, own datetime(6) DEFAULT '2001-01-01'"
            + " ON UPDATE CURRENT_TIMESTAMP(6))",
        "INSERT INTO dst.t (k, v) SELECT seq, 0 FROM seq_1_to_%d".formatted(ROWS));
    RowSchema schema = schema("t", "*k int", "v int");
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(lab.window(net(keyed(schema, change(row("1"), row("1", "0"))))));
      long before = status("Com_update_multi");
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      IntStream.rangeClosed(1, ROWS)
                          .mapToObj(Integer::toString)
                          .map(k -> change(row(k), row(k, "1")))
                          .toArray(NetChange[]::new)))));
      assertThat(status("Com_update_multi") - before).isEqualTo(1);
    }
    assertThat(lab.rows("SELECT v, CAST(own AS CHAR), COUNT(*) FROM dst.t GROUP BY v, own"))
        .containsExactly("1|2001-01-01 00:00:00.000000|" + ROWS);
  }

  @Test
  void aRowThatIsMissingIsNamedAndNoneIsMade() throws SQLException {
    lab.run(
        "CREATE TABLE dst.t (k int PRIMARY KEY, v int)",
        "INSERT INTO dst.t SELECT seq, 0 FROM seq_1_to_%d WHERE seq <> 700".formatted(ROWS));
    RowSchema schema = schema("t", "*k int", "v int");
    NetChange[] changes =
        IntStream.rangeClosed(1, ROWS)
            .mapToObj(Integer::toString)
            .map(k -> change(row(k), row(k, "1")))
            .toArray(NetChange[]::new);
    try (BatchApplier applier = lab.applier(0)) {
      assertThatThrownBy(() -> applier.apply(lab.window(net(keyed(schema, changes)))))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("700");
    }
    assertThat(lab.rows("SELECT COUNT(*), SUM(v), SUM(k = 700) FROM dst.t"))
        .containsExactly("%d|0|0".formatted(ROWS - 1));
  }

  private long rowsRead() throws SQLException {
    return status("Handler_read_rnd_next") + status("Handler_read_next");
  }

  private long status(String name) throws SQLException {
    return Long.parseLong(
        lab.rows("SHOW GLOBAL STATUS LIKE '" + name + "'").get(0).split("\\|")[1]);
  }
}
