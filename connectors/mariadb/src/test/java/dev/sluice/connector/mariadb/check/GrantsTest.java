package dev.sluice.connector.mariadb.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements as {@code SHOW GRANTS} prints them. */
class GrantsTest {
  @ParameterizedTest
  @CsvSource({
    "IDENTIFIED BY PASSWORD '*B69027D44F6E5EDC07F1AEAD1477967B16F28227', ",
    "REQUIRE SSL, ",
    "IDENTIFIED VIA ed25519 USING 'Gv2JI8Env2fd5YGonZ082tX3UAW+yJYldOlj4R1bfK4', ed25519",
    "IDENTIFIED VIA ed25519 USING 'Gv2J' OR mysql_native_password USING '*B6', ed25519",
    "IDENTIFIED VIA mysql_native_password USING '*B6' OR ed25519 USING 'Gv2J', ",
    "IDENTIFIED VIA unix_socket OR mysql_native_password USING '*B6' REQUIRE SSL, ",
    "IDENTIFIED VIA unix_socket OR ed25519 USING 'Gv2J' WITH GRANT OPTION, ed25519",
    "IDENTIFIED VIA pam REQUIRE SSL, pam"
  })
  void aLoginByWhichTheLogCannotBeReadIsFound(String login, String plugin) {
    Grants grants = Grants.of(List.of("GRANT REPLICATION SLAVE ON *.* TO `u`@`%` " + login));
    assertThat(grants.cannotReadLog().orElse(null)).isEqualTo(plugin);
    assertThat(grants.has("REPLICATION SLAVE")).isTrue();
  }

  @Test
  void rightsOfOneDatabaseAreNotThoseOfTheServer() {
    assertThat(Grants.of(List.of("GRANT SELECT ON `shop`.* TO `u`@`%`")).has("SELECT")).isFalse();
  }

  @Test
  void rightsOfADatabaseAreThoseOfItsNameOrOfAllWithoutWhatWasTaken() {
    Grants grants =
        Grants.of(
            List.of(
                "GRANT SELECT, LOCK TABLES ON *.* TO \"u\"@\"%\"",
                "REVOKE SELECT ON \"secret\".* FROM \"u\"@\"%\""));
    assertThat(grants.has("SELECT", "shop")).isTrue();
    assertThat(grants.has("SELECT", "secret")).isFalse();
    assertThat(grants.has("LOCK TABLES", "secret")).isTrue();
    Grants ofPattern = Grants.of(List.of("GRANT ALL PRIVILEGES ON `shop\\_%`.* TO `u`@`%`"));
    assertThat(ofPattern.has("SELECT", "shop_1")).isTrue();
    assertThat(ofPattern.has("SELECT", "shops1")).isFalse();
    assertThat(Grants.of(List.of("GRANT SELECT ON `shop`.`a` TO `u`@`%`")).has("SELECT", "shop"))
        .isFalse();
  }

  @Test
  void rolesAndLoginsOfMysqlAreFound() {
    Grants grants =
        Grants.of(List.of("GRANT USAGE ON *.* TO `u`@`%`", "GRANT `reader`@`%` TO `u`@`%`"))
            .loggingInBy(
                "CREATE USER `u`@`%` IDENTIFIED WITH 'caching_sha2_password' AS '$A$' AND IDENTIFIED WITH 'authentication_fido' REQUIRE NONE");
    assertThat(grants.hasRoles()).isTrue();
    assertThat(grants.logins()).containsExactly("caching_sha2_password", "authentication_fido");
    assertThat(Grants.of(List.of("GRANT USAGE ON *.* TO `u`@`%`")).hasRoles()).isFalse();
  }
}
