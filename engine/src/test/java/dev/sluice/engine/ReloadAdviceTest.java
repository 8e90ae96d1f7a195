package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A message that advises to load tables again names the resync, too, wherever one does it. */
class ReloadAdviceTest {
  /** A comment, a character, a text block or a string; the last two are groups. */
  private static final Pattern LITERAL =
      Pattern.compile(
          "//[^\\n]*|/\\*.*?\\*/|'(?:\\\\.|[^'\\\\])+'"
              + "|\"\"\"(.*?)\"\"\"|\"((?:\\\\.|[^\"\\\\\\n])*)\"",
          Pattern.DOTALL);

  private static final Pattern ADVICE =
      Pattern.compile(
          "(?i)\\bsluice reload|\\breload (it|the|them|these|%s)\\b"
              + "|\\b(load|copy) (it|them|the tables?|all tables|all|its tables|these) again"
              + "|\\bloads the tables again");

  /** Kafka Connect has no command of its own; what Debezium reads cannot be compared. */
  private static final List<Path> WITHOUT_RESYNC =
      List.of(Path.of("../connect"), Path.of("../bench"), Path.of("../connectors/generic"));

  /** Where only a load helps, with the reason. */
  private static final Map<String, String> LOADS =
      Map.ofEntries(
          Map.entry("ShapeChange", "the columns differ, and a resync alters no table"),
          Map.entry("TableAlteration", "the columns differ"),
          Map.entry("TableCreation", "the target has another table of the name"),
          Map.entry("TablePlans", "the columns differ"),
          Map.entry("Alteration", "the columns differ"),
          Map.entry("ChangedTables", "the columns differ"),
          Map.entry("YugabyteAlteration", "the columns differ"),
          Map.entry("YugabyteAlteredTables", "the columns differ"),
          Map.entry("DefinitionStatements", "the columns differ"),
          Map.entry("MariadbDefinitions", "the columns differ"),
          Map.entry("AddedTables", "the target has nothing of the table"),
          Map.entry("PostgresDefinitions", "the columns differ"),
          Map.entry("YugabyteDefinitions", "the columns differ"),
          Map.entry("Db2Refusal#ofDefinition", "the columns differ"),
          Map.entry("SuspendedDefinitions", "the table has another name on the target"),
          Map.entry("FollowedTables", "a table that is not followed is not compared"),
          Map.entry("Transformations", "only a load creates what the rule adds"),
          Map.entry("Coverage#notFollowed", "a table that is not followed is not compared"),
          Map.entry("TableProblems#view", "a view is not compared"),
          Map.entry("TableProblems#gone", "the new name is not followed"),
          Map.entry("CapturedTable#altered", "the columns differ"),
          Map.entry("LoggedDefinition#requireSameKey", "the keys differ"),
          Map.entry("ValueDecoders#require", "the columns differ"),
          Map.entry("RefusedValue", "the column gets another type"),
          Map.entry("FollowedDdl#requireOthers", "the tables were made again"),
          Map.entry("NewNames", "a table that is not followed is not compared"),
          Map.entry("EndedGeneration", "the columns differ"),
          Map.entry("GeneratedOnTarget", "it is a reload that is refused"),
          Map.entry("TaskAttempt", "the task has only a load"));

  private static final Pattern METHOD =
      Pattern.compile("(?m)^  (?:[a-z]+ )*[\\w<>.,? \\[\\]]+ (\\w+)\\([^;{}]*\\)[^;{}]*\\{");

  @Test
  void aMessageThatAdvisesALoadNamesTheResync() throws IOException {
    assertThat(findings().stream().filter(found -> !isListed(found)).toList())
        .as("messages that advise a load, and do not name the resync")
        .isEmpty();
  }

  @Test
  void eachExceptionIsNeeded() throws IOException {
    List<String> findings = findings();
    TreeSet<String> needless = new TreeSet<>(LOADS.keySet());
    needless.removeIf(name -> findings.stream().anyMatch(found -> matches(found, name)));
    assertThat(needless).isEmpty();
  }

  private static boolean isListed(String finding) {
    return LOADS.keySet().stream().anyMatch(name -> matches(finding, name));
  }

  private static boolean matches(String finding, String name) {
    return finding.startsWith(name + (name.contains("#") ? ":" : "#"));
  }

  private static List<String> findings() throws IOException {
    List<String> all = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      files
          .filter(file -> file.toString().contains("/src/main/java/"))
          // An older build, to be upgraded, lies there.
          .filter(file -> !file.toString().contains("/target/older/"))
          .filter(file -> WITHOUT_RESYNC.stream().noneMatch(file::startsWith))
          .filter(file -> file.toString().endsWith(".java"))
          .sorted()
          .forEach(file -> all.addAll(findings(file)));
    }
    return all;
  }

  /** The statements of a file with such an advice: class, method and text. */
  private static List<String> findings(Path file) {
    String source;
    try {
      source = Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> found = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    int end = 0;
    int begin = 0;
    Matcher literal = LITERAL.matcher(source);
    while (literal.find()) {
      String between = source.substring(end, literal.start());
      if (between.matches("(?s).*[;{}].*")) {
        check(file, source, begin, text, found);
        text.setLength(0);
        begin = literal.start();
      } else if (between.contains(",")) {
        // The next parameter's first word does not belong to the last one's.
        text.append('\n');
      }
      end = literal.end();
      text.append(
          literal.group(1) != null
              ? literal.group(1)
              : literal.group(2) == null ? "" : literal.group(2));
    }
    check(file, source, begin, text, found);
    return found;
  }

  private static void check(
      Path file, String source, int begin, StringBuilder text, List<String> found) {
    if (ADVICE.matcher(text).find() && !text.toString().contains("resync")) {
      String method = "";
      Matcher methods = METHOD.matcher(source.substring(0, begin));
      while (methods.find()) {
        method = methods.group(1);
      }
      String type = file.getFileName().toString().replace(".java", "");
      found.add("%s#%s: %s".formatted(type, method, text));
    }
  }
}
