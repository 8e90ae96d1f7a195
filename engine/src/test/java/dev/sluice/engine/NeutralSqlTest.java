package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Statements of one database only stand in the packages that are named after it. */
class NeutralSqlTest {
  private static final List<Path> SOURCES =
      List.of(Path.of("../sink/src/main/java"), Path.of("../load/src/main/java"));

  /** A comment, a character, a text block or a string; the last two are groups. */
  private static final Pattern LITERAL =
      Pattern.compile(
          "//[^\\n]*|/\\*.*?\\*/|'(?:\\\\.|[^'\\\\])+'"
              + "|\"\"\"(.*?)\"\"\"|\"((?:\\\\.|[^\"\\\\\\n])*)\"",
          Pattern.DOTALL);

  private static final Pattern OF_POSTGRES =
      Pattern.compile(
          "\\bpg_|::|\\bON CONFLICT\\b|\\bRETURNING\\b|\\bunnest\\b|\\bto_regclass\\b|\\bhashtext\\b"
              + "|\\bANY \\(\\?|\\bSET LOCAL\\b|\\bsession_replication_role\\b|\\bONLY $"
              + "|\\bIS (NOT )?DISTINCT FROM\\b|\\bSELECT FROM\\b|\\bctid\\b|\\btableoid\\b");

  @Test
  void noStatementOfPostgresStandsInANeutralPackage() throws IOException {
    for (Path root : SOURCES) {
      try (Stream<Path> files = Files.walk(root)) {
        List<String> found =
            files
                .filter(file -> file.toString().endsWith(".java"))
                .filter(file -> !file.getParent().toString().contains("postgres"))
                .flatMap(NeutralSqlTest::findings)
                .toList();
        assertThat(found).as("SQL of PostgreSQL outside of its packages").isEmpty();
      }
    }
  }

  @Test
  void thePackagesOfPostgresHaveSuchStatements() throws IOException {
    Path known =
        SOURCES.get(0).resolve("dev/sluice/sink/target/postgres/catalog/PostgresCatalog.java");
    assertThat(findings(known)).isNotEmpty();
  }

  private static Stream<String> findings(Path file) {
    try {
      return LITERAL
          .matcher(Files.readString(file))
          .results()
          .map(NeutralSqlTest::text)
          .filter(text -> OF_POSTGRES.matcher(text).find())
          .map(text -> file.getFileName() + ": " + text.strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(MatchResult literal) {
    String text = literal.group(1) == null ? literal.group(2) : literal.group(1);
    return text == null ? "" : text;
  }
}
