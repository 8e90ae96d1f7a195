package dev.sluice.connector.generic.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.generic.config.KnownConnector;
import java.sql.Types;
import org.junit.jupiter.api.Test;

class ColumnTargetTest {

  @Test
  void aTypeGoesToOneThatKeepsAllOfItsValues() {
    assertThat(of(KnownConnector.MARIADB, "INT UNSIGNED", Types.INTEGER, 10, 0))
        .isEqualTo("bigint");
    assertThat(of(KnownConnector.MARIADB, "BIGINT UNSIGNED", Types.BIGINT, 20, 0))
        .isEqualTo("numeric(20,0)");
    assertThat(of(KnownConnector.MARIADB, "DATETIME", Types.TIMESTAMP, 26, 3))
        .isEqualTo("timestamp(3) without time zone");
    assertThat(of(KnownConnector.MARIADB, "TIMESTAMP", Types.TIMESTAMP, 26, 6))
        .isEqualTo("timestamp with time zone");
    assertThat(of(KnownConnector.DB2, "DECIMAL", Types.DECIMAL, 31, 5)).isEqualTo("numeric(31,5)");
    assertThat(of(KnownConnector.DB2, "CHAR () FOR BIT DATA", Types.BINARY, 16, 0))
        .isEqualTo("bytea");
    assertThat(of(KnownConnector.ORACLE, "NUMBER", Types.NUMERIC, 0, -127)).isEqualTo("numeric");
    assertThat(of(KnownConnector.ORACLE, "TIMESTAMP(6) WITH TIME ZONE", -101, 13, 6))
        .isEqualTo("timestamp with time zone");
    assertThat(of(KnownConnector.SQLSERVER, "datetimeoffset", -155, 34, 6))
        .isEqualTo("timestamp with time zone");
    assertThat(of(KnownConnector.ORACLE, "FLOAT", Types.FLOAT, 126, 0)).isEqualTo("numeric");
  }

  @Test
  void timesOfMoreDigitsThanPostgresqlHasAreNotRounded() {
    assertThat(of(KnownConnector.SQLSERVER, "datetimeoffset", -155, 34, 7)).isNull();
    assertThat(of(KnownConnector.SQLSERVER, "datetime2", Types.TIMESTAMP, 27, 7)).isNull();
    assertThat(of(KnownConnector.SQLSERVER, "time", Types.TIME, 16, 7)).isNull();
    assertThat(of(KnownConnector.ORACLE, "TIMESTAMP(9)", Types.TIMESTAMP, 11, 9)).isNull();
    assertThat(of(KnownConnector.ORACLE, "TIMESTAMP(9) WITH TIME ZONE", -101, 13, 9)).isNull();
    assertThat(of(KnownConnector.DB2, "TIMESTAMP", Types.TIMESTAMP, 32, 12)).isNull();
  }

  /** The driver numbers these like types whose values they do not have. */
  @Test
  void aTypeThatIsNotKnownIsNotGuessed() {
    assertThat(of(KnownConnector.POSTGRESQL, "mood", Types.VARCHAR, 10, 0)).isNull();
    assertThat(of(KnownConnector.POSTGRESQL, "money", Types.DOUBLE, 10, 0)).isNull();
    assertThat(of(KnownConnector.POSTGRESQL, "timetz", Types.TIME, 10, 6)).isNull();
    assertThat(of(KnownConnector.POSTGRESQL, "_int4", Types.ARRAY, 10, 0)).isNull();
    assertThat(of(KnownConnector.MARIADB, "BIT", Types.BIT, 9, 0)).isNull();
    assertThat(of(KnownConnector.DB2, "DECFLOAT", Types.OTHER, 34, 0)).isNull();
  }

  private static String of(
      KnownConnector connector, String name, int dataType, int size, int digits) {
    return ColumnTarget.of(connector, name, dataType, size, digits).orElse(null);
  }
}
