package dev.sluice.target.mariadb;

import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** The same on MySQL; skipped where there is none. */
@NeedsMysql
class MysqlTableShapesTest extends TableShapesTest {

  @Override
  ServerKind kind() {
    return ServerKind.MYSQL;
  }

  /** Only MySQL has an index of an expression. Its columns are not in the catalog. */
  @Test
  void uniqueValuesAreExchangedUnderAnIndexOfAnExpression() throws SQLException {
    uniqueValuesAreExchangedWhateverTheIndexLooksAt("UNIQUE ((a * 10))");
  }
}
