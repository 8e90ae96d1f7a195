package dev.sluice.target.mariadb.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.ColumnFit.Verdict;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.server.ServerKind;
import dev.sluice.target.mariadb.value.ColumnType;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which columns of MariaDB are taken for which types of PostgreSQL. */
class MariadbColumnFitTest {
  private static final String UTF8 = "utf8mb4";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "boolean | tinyint(1)",
        "boolean | bit(1)",
        "integer | int(11)",
        "integer | bigint(20)",
        "integer | decimal(10,0)",
        "bigint | bigint(20)",
        "bytea | longblob",
        "bit(4) | bit(4)",
        "time(3) without time zone | time(3)",
        "time without time zone | time(6)"
      })
  void columnsOfOtherTypesThatKeepEachValue(String type, String column) {
    assertThat(of(type, column, null)).isEqualTo(Verdict.KEEPS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text | longtext",
        "jsonb | longtext",
        "integer[] | longtext",
        "numeric | longtext",
        "shop.mood | longtext",
        "uuid | char(36)",
        "uuid | varchar(36)",
        "character varying(40) | varchar(40)",
        "character varying(40) | tinytext",
        "character(3) | char(3)",
        "character(3) | varchar(3)"
      })
  void textsThatKeepEachValue(String type, String column) {
    assertThat(of(type, column, UTF8)).isEqualTo(Verdict.KEEPS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "numeric(12,2) | decimal(12,2) | NaN",
        "numeric(12,2) | decimal(14,3) | NaN",
        "double precision | double | infinity",
        "real | float | infinity",
        "date | date | Christ",
        "timestamp without time zone | datetime(6) | Christ",
        "timestamp(3) with time zone | datetime(3) | Christ",
        "timestamp with time zone | timestamp(6) | timestamp",
        "interval | time(6) | months",
        "uuid | uuid | RFC 4122"
      })
  void columnsThatRefuseRareValues(String type, String column, String values) {
    assertThat(of(type, column, null))
        .isInstanceOfSatisfying(
            Verdict.Except.class, except -> assertThat(except.values()).contains(values));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bigint | int(11)",
        "integer | int(10) unsigned",
        "integer | decimal(9,0)",
        "numeric | decimal(65,38)",
        "numeric(12,2) | decimal(12,1)",
        "numeric(12,2) | decimal(12,3)",
        "numeric(12,2) | double",
        "double precision | float",
        "double precision | double(10,2)",
        "real | float(7,3)",
        "real | double(10,2)",
        "bytea | blob",
        "bit(4) | bit(5)",
        "bit varying(4) | bit(4)",
        "timestamp without time zone | datetime",
        "timestamp without time zone | timestamp(6)",
        "timestamp without time zone | date",
        "time with time zone | time(6)",
        "integer[] | int(11)",
        "jsonb | int(11)",
        "text | longblob",
        "shop.mood | enum('a')"
      })
  void columnsThatAreNotForSuchValues(String type, String column) {
    assertThat(of(type, column, null)).isInstanceOf(Verdict.Unfit.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text | text | utf8mb4",
        "text | longtext | latin1",
        "text | longtext | utf8mb3",
        "character varying(41) | varchar(40) | utf8mb4",
        "character varying | varchar(16000) | utf8mb4",
        "character varying(64) | tinytext | utf8mb4",
        "character varying(3) | char(3) | utf8mb4",
        "character(3) | char(4) | utf8mb4",
        "uuid | char(40) | utf8mb4",
        "integer[] | varchar(100) | utf8mb4"
      })
  void textsThatAreTooShortOrOfAnotherCharacterSet(String type, String column, String charset) {
    assertThat(of(type, column, charset))
        .isInstanceOfSatisfying(
            Verdict.Unfit.class,
            unfit ->
                assertThat(unfit.fix()).startsWith("Run: ALTER TABLE `dst`.`item` MODIFY `c`"));
  }

  /** A type that keeps all values could not be in the key. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"bytea | binary(16)", "bytea | varbinary(9)", "text | enum('a')"})
  void keyColumnsThatNoTypeCanReplace(String type, String column) {
    assertThat(verdict(new Column("c", type, false, true), column, null, false))
        .isInstanceOfSatisfying(
            Verdict.Unfit.class,
            unfit ->
                assertThat(unfit.fix()).contains("another primary key").doesNotContain("MODIFY"));
  }

  /** A NULL that the server replaces would be another row, and no error would tell it. */
  @Test
  void columnsThatMakeAValueOfNull() {
    Column optional = new Column("c", "timestamp with time zone", true, false);
    Column required = new Column("c", "timestamp with time zone", false, false);
    assertThat(fix(optional, "timestamp(6)")).endsWith("MODIFY `c` datetime(6) NULL");
    assertThat(fix(required, "timestamp(6)")).endsWith("MODIFY `c` datetime(6) NOT NULL");
    assertThat(fix(new Column("c", "integer", true, false), "int(11)"))
        .contains("MODIFY `c` int(11) NULL", "source's column NOT NULL");
    assertThat(verdict(new Column("c", "integer", false, true), "int(11)", null, true))
        .isEqualTo(Verdict.KEEPS);
  }

  private static String fix(Column source, String column) {
    return ((Verdict.Unfit) verdict(source, column, null, true)).fix();
  }

  private static Verdict of(String type, String column, String charset) {
    return verdict(new Column("c", type, true, false), column, charset, false);
  }

  private static Verdict verdict(Column source, String column, String charset, boolean fillsNull) {
    String bare = column.replaceFirst("[( ].*", "");
    TargetColumn found =
        new TargetColumn(
            "c",
            1,
            column,
            false,
            ColumnType.stored(column, charset, charset + "_bin"),
            bare,
            (char) 0,
            "=",
            true,
            fillsNull,
            false,
            false,
            false,
            fillsNull);
    TargetTable table =
        new TargetTable(
            new TableId("dst", "item"),
            1,
            false,
            List.of(found),
            List.of(),
            Set.of(),
            List.of(),
            Set.of(),
            List.of(),
            List.of(),
            true,
            false,
            List.of());
    return new MariadbColumnFit(ServerKind.MARIADB).of(source, table, found);
  }
}
