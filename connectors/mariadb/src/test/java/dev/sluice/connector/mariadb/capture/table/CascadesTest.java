package dev.sluice.connector.mariadb.capture.table;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.catalog.MariadbForeignKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class CascadesTest {
  private static final TableId PARENT = new TableId("shop", "p");
  private static final TableId CHILD = new TableId("shop", "c");

  /** An event of a deletion. */
  private static final int DELETE_ROWS = 32;

  private static final MariadbForeignKey KEY =
      new MariadbForeignKey(
          CHILD, "c_of_p", List.of("p"), PARENT, List.of("id"), "RESTRICT", "CASCADE");

  /** A server of any release may log such a change, so no release is blamed alone. */
  @Test
  void aChangeWhoseKeysInnodbFollowedIsNamedWithAllThatMakesSuchOnes() {
    Cascades cascades = Cascades.of(List.of(KEY), CHILD::equals);
    assertThatThrownBy(() -> cascades.requireLogged(PARENT, DELETE_ROWS, 0))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("a server before MySQL 9.6, or innodb_native_foreign_keys = ON")
        .hasMessageContaining("set innodb_native_foreign_keys = OFF where the change was made");
  }
}
