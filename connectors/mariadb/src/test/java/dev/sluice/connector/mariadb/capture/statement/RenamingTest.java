package dev.sluice.connector.mariadb.capture.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RenamingTest {
  @Test
  void namesAreReadWithTheirDatabases() throws NotFollowed {
    assertThat(
            Renaming.read(
                statement("rename /* gh-ost */ table `a` to `other`.`b c`, d.e NOWAIT TO f")))
        .containsExactly(
            new Renaming(table("a"), new TableId("other", "b c")),
            new Renaming(new TableId("d", "e"), table("f")));
    assertThat(Renaming.read(statement("RENAME TABLES a WAIT 5 TO b"))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RENAME TABLE IF EXISTS a TO b",
        "SET STATEMENT lock_wait_timeout = 5 FOR RENAME TABLE a TO b",
        "RENAME TABLE a b",
        "RENAME TABLE a TO b c",
        "RENAME TABLE a TO b,",
        "RENAME USER a TO b"
      })
  void aStatementWithAWordThatIsNotExpectedIsNotFollowed(String text) {
    assertThatThrownBy(() -> Renaming.read(statement(text))).isInstanceOf(NotFollowed.class);
  }

  @Test
  void eachTableGetsItsLastNameOnceThatIsFree() throws NotFollowed {
    assertThat(together("a>_a_old", "_a_new>a")).containsExactly("a>_a_old", "_a_new>a");
    assertThat(together("a>x", "b>a", "x>c")).containsExactly("a>c", "b>a");
    assertThat(together("c>d", "b>c", "a>b")).containsExactly("c>d", "b>c", "a>b");
    assertThat(together("a>b", "b>a")).isEmpty();
  }

  @Test
  void tablesThatExchangeTheirNamesAreNotFollowed() {
    assertThatThrownBy(() -> together("a>x", "b>a", "x>b"))
        .isInstanceOf(NotFollowed.class)
        .hasMessageContaining("exchange their names");
  }

  private static List<String> together(String... renamings) throws NotFollowed {
    List<Renaming> all =
        Stream.of(renamings)
            .map(text -> text.split(">"))
            .map(names -> new Renaming(table(names[0]), table(names[1])))
            .toList();
    return Renaming.together(all).stream()
        .map(each -> each.from().name() + ">" + each.to().name())
        .toList();
  }

  private static TableId table(String name) {
    return new TableId("shop", name);
  }

  private static LoggedStatement statement(String text) {
    return new LoggedStatement(
        "shop",
        text,
        false,
        true,
        true,
        new LoggedStatement.Run(0, new SqlMode(true, true, true), false, true, false));
  }
}
