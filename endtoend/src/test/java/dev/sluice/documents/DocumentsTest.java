package dev.sluice.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.retry.RetriedWork;
import dev.sluice.documents.MarkdownPage.Found;
import dev.sluice.engine.command.CommandModel;
import dev.sluice.engine.status.DaemonMetric;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.monitoring.AlertRules;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.policy.CloseReason;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holds the documents to the code: what they name is there, and what is there is documented. */
class DocumentsTest {
  private static final int PARAGRAPH_WORDS = 80;
  private static final int README_LINES = 120;

  private static final Pattern COMMAND =
      Pattern.compile("^(?:\\./|bin/|.*-VERSION/bin/)?sluice ([a-z-]+)(.*)$");
  private static final Pattern OPTION = Pattern.compile("(?<=^|\\s|\\[)(--?[a-z][a-z-]*)");
  private static final Pattern SETTING =
      Pattern.compile("^(?:[A-Z]\\w+\\.)?([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)(?:[:=].*| .*)?$");
  private static final Pattern METHOD = Pattern.compile("^([A-Z]\\w+)#(\\w+)$");
  private static final Pattern OWN_NAME = Pattern.compile("^sluice(?:_[a-z]+)+$");
  private static final Pattern NAME = Pattern.compile("^[a-z0-9]+(?:[_-][a-z0-9]+)+$");
  private static final Pattern TASK_KEY =
      Pattern.compile("^(?:source|target|import)\\.([a-z]+(?:-[a-z]+)*)(?:: .*)?$");
  private static final Pattern PLACEHOLDER = Pattern.compile("VERSION|/NAME\\b");
  private static final Pattern IN_WORDS = Pattern.compile("\\b[A-Z][a-z]+(?:[A-Z][a-z]+){2,}\\b");
  private static final Pattern CONSTANT = Pattern.compile("^[A-Z]+(?:_[A-Z]+)*$");
  private static final Pattern TEST_CLASSES = Pattern.compile("-Dtest='?([A-Za-z#*,]+)");

  /**
   * Names of PostgreSQL, pgbouncer, DMS, Kafka and of examples, which the code does not have as one
   * word.
   */
  private static final Set<String> OF_OTHERS =
      Set.of(
          "CurrentLSN",
          "MaxFileSize",
          "SetDataCaptureChanges",
          "StartFromContext",
          "WriteBufferSize",
          "add-prefix",
          "convert-lowercase",
          "convert-uppercase",
          "dns_max_ttl",
          "remove-prefix",
          "replace-prefix",
          "server_login_retry",
          "subpartitions-auto",
          "tcp_user_timeout",
          "temp_buffers",
          "work_mem",
          "shop.yaml",
          "CONNECT_OFFSET_FLUSH_INTERVAL_MS");

  private static final Set<String> SQL_WORDS = Set.of("TRUNCATE", "DELETE", "REPLICATION");

  private static Checkout checkout;
  private static Set<String> settings;
  private static Set<String> metrics;
  private static Set<String> problems;
  private static Set<String> statusFields;

  @BeforeAll
  static void readCheckout() throws IOException {
    // Tests run in the module's folder.
    checkout = Checkout.read(Path.of("..").toRealPath());
    settings =
        firstCells("docs/operate/settings.md")
            .flatMap(Stream::of)
            .collect(Collectors.toCollection(TreeSet::new));
    metrics =
        DaemonMetric.all().stream()
            .map(DaemonMetric::name)
            .collect(Collectors.toCollection(TreeSet::new));
    problems =
        Stream.of(ProblemKind.values())
            .map(ProblemKind::text)
            .collect(Collectors.toCollection(TreeSet::new));
    statusFields = new TreeSet<>();
    addFields(TaskStatus.class);
  }

  @Test
  void everyLinkLeadsSomewhere() {
    assertThat(wrong(MarkdownPage::links, this::leads)).isEmpty();
  }

  @Test
  void everyNameInTheDocumentsExists() {
    assertThat(wrong(MarkdownPage::codes, this::exists)).isEmpty();
  }

  @Test
  void everyCommandInACodeBlockExists() {
    assertThat(wrong(MarkdownPage::blockLines, found -> runs(found.text()))).isEmpty();
  }

  @Test
  void everySettingThatTheTextNamesExists() {
    assertThat(wrong(MarkdownPage::paragraphs, this::namesSettings)).isEmpty();
  }

  /** The settings page's tables are written from the settings; its task file is not. */
  @Test
  void everyKeyOfTheTaskFileIsDocumented() {
    List<String> codes =
        checkout.page("docs/operate/settings.md").codes().stream()
            .map(Found::text)
            .map(key -> key.substring(key.indexOf('.') + 1))
            .toList();
    Matcher key =
        Pattern.compile("\"([a-z]+(?:-[a-z]+)+)\"")
            .matcher(
                checkout.source("TaskDocument.java")
                    + checkout.source("TaskKeys.java")
                    + checkout.source("EndpointSections.java")
                    + checkout.sourcesWith("implements SourceConfig")
                    + checkout.sourcesWith("implements SourceFactory"));
    List<String> keys = new ArrayList<>();
    while (key.find()) {
      keys.add(key.group(1));
    }
    assertThat(keys).contains("data-dir", "cdc-stop-position", "take-slot");
    assertThat(codes).as("keys in docs/operate/settings.md").containsAll(keys);
  }

  @Test
  void everyCommandAndOptionIsDocumented() {
    MarkdownPage page = checkout.page("docs/operate/commands.md");
    List<String> missing = new ArrayList<>();
    for (String command : CommandModel.commands()) {
      if (page.lines().stream()
          .noneMatch(line -> line.matches("\\| `sluice " + command + "[ `].*"))) {
        missing.add(command);
      }
      for (String option : CommandModel.options(command)) {
        if (!CommandModel.commonOptions().contains(option)
            && page.lines().stream()
                .noneMatch(
                    line ->
                        line.startsWith("| `" + command + "` |")
                            && line.contains("`" + option + "`"))) {
          missing.add(command + " " + option);
        }
      }
    }
    for (String code : CommandModel.exitCodes()) {
      if (page.lines().stream().noneMatch(line -> line.startsWith("| " + code.strip() + " |"))) {
        missing.add("exit code " + code);
      }
    }
    assertThat(missing)
        .as("commands, options and exit codes without a row in docs/operate/commands.md")
        .isEmpty();
  }

  @Test
  void theTableOfMetricsIsTheListOfTheDaemonsMetrics() throws IOException {
    assertTable("docs/operate/monitoring.md", "## Metrics", MetricTables.ofDaemon());
  }

  @Test
  void theTableOfProblemsIsTheListOfTheirKinds() throws IOException {
    assertTable("docs/operate/monitoring.md", "### Kinds of problems", MetricTables.ofProblems());
  }

  @Test
  void theTableOfConnectsMetricsIsTheListOfTheSinksMetrics() throws IOException {
    assertTable("docs/operate/connect.md", "## While it runs", MetricTables.ofConnect());
  }

  @Test
  void theTableOfAlertsIsTheListOfTheAlertRules() throws IOException {
    assertTable(
        "docs/operate/monitoring.md",
        "### The alerts",
        MetricTables.ofAlerts(AlertRules.read(Path.of(".."))));
  }

  /** Every stage, work and reason that a label may say. */
  @Test
  void everyValueOfALabelIsDocumented() {
    List<String> codes =
        checkout.page("docs/operate/monitoring.md").codes().stream().map(Found::text).toList();
    assertThat(codes)
        .contains("fill")
        .containsAll(Stream.of(ApplyStage.values()).map(ApplyStage::text).toList())
        .containsAll(Stream.of(RetriedWork.values()).map(RetriedWork::text).toList())
        .containsAll(Stream.of(CloseReason.values()).map(CloseReason::name).toList());
  }

  /** A table that is written from declarations; {@code -Dsluice.update=true} writes it again. */
  private static void assertTable(String page, String heading, List<String> wanted)
      throws IOException {
    Path file = Path.of("..").resolve(page);
    List<String> lines = Files.readAllLines(file);
    if (Boolean.getBoolean("sluice.update")) {
      lines = MetricTables.replaced(heading, lines, wanted);
      Files.writeString(file, String.join("\n", lines) + "\n");
    }
    assertThat(String.join("\n", MetricTables.below(heading, lines)))
        .as("%s, %s; this should stand there, -Dsluice.update=true writes it", page, heading)
        .isEqualTo(String.join("\n", wanted));
  }

  @Test
  void everyFieldOfTheStatusIsDocumented() {
    List<String> codes =
        checkout.page("docs/operate/monitoring.md").codes().stream().map(Found::text).toList();
    List<String> fields = new ArrayList<>(fieldsOf(TaskStatus.class));
    fields.remove("task");
    assertThat(codes).containsAll(fields);
  }

  @Test
  void everyLogLineThatMattersIsWritten() {
    List<String> lines = checkout.page("docs/operate/logs.md").lines();
    List<String> fragments =
        firstCells(lines.subList(lines.indexOf("## Log lines that matter"), lines.size()))
            .map(fragment -> fragment.replaceFirst(":$", ""))
            .filter(fragment -> !fragment.contains("NAME"))
            .toList();
    assertThat(fragments).contains("window closed");
    assertThat(fragments).allMatch(checkout::hasText);
  }

  @Test
  void everyThreadOfTheDaemonIsDocumented() {
    String sources = checkout.mainSourcesOutsideOf(Set.of("bench", "demo", "embedded"));
    Set<String> threads = new TreeSet<>();
    Matcher name =
        Pattern.compile("(?:new (?:Thread|PeriodicTask)|super)\\([^;]*?\"([a-z]+(?:-[a-z]+)+)")
            .matcher(sources);
    while (name.find()) {
      threads.add(name.group(1));
    }
    String page = String.join("\n", checkout.page("docs/internals/threads.md").lines());
    assertThat(threads)
        .contains("sluice-cutover", "sluice-apply")
        .allMatch(thread -> page.contains("`" + thread));
  }

  /** Maven says nothing of a profile that is not there. */
  @Test
  void continuousIntegrationBuildsEveryProfileThatHasModules() throws IOException {
    Matcher profile =
        Pattern.compile("<profile>\\s*<id>([a-z]+)</id>\\s*<modules>")
            .matcher(checkout.source("pom.xml"));
    List<String> profiles = new ArrayList<>();
    while (profile.find()) {
      profiles.add(profile.group(1));
    }
    String command = Files.readString(Path.of("../.ci/run"));
    assertThat(profiles)
        .contains("release")
        .allMatch(id -> command.matches("(?s).*mvn [^\\n]*-P(?:[a-z]+,)*" + id + "\\b.*"));
  }

  @Test
  void theRowsOfATableHaveTheSameNumberOfCells() {
    assertThat(checkout.pages().stream().flatMap(page -> page.rowsOfOtherWidth().stream()))
        .isEmpty();
  }

  @Test
  void everyModuleAndPackageIsDocumented() {
    MarkdownPage page = checkout.page("docs/internals/modules-and-packages.md");
    List<String> modules = new ArrayList<>();
    Matcher module = Pattern.compile("<module>(.*)</module>").matcher(checkout.source("pom.xml"));
    while (module.find()) {
      modules.add(module.group(1));
    }
    assertThat(modules).hasSizeGreaterThan(10);
    assertThat(page.codes())
        .as("modules in docs/internals/modules-and-packages.md")
        .extracting(Found::text)
        .containsAll(modules);
    assertThat(
            firstCells(
                page.lines().subList(page.lines().indexOf("## Packages"), page.lines().size())))
        .as("rows in docs/internals/modules-and-packages.md, section Packages")
        .containsExactlyInAnyOrderElementsOf(checkout.packages());
  }

  @Test
  void noParagraphIsLong() {
    assertThat(
            wrong(
                MarkdownPage::paragraphs,
                found -> found.text().strip().split("\\s+").length <= PARAGRAPH_WORDS))
        .isEmpty();
  }

  @Test
  void theReadmeIsShort() {
    assertThat(checkout.page("README.md").lines()).hasSizeLessThanOrEqualTo(README_LINES);
  }

  /** As the status spells them. */
  private static List<String> fieldsOf(Class<?> part) {
    return Stream.of(part.getRecordComponents())
        .map(RecordComponent::getName)
        .map(name -> name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT))
        .toList();
  }

  /** Those of a record and of all records in it, also of the elements of its lists and maps. */
  private static void addFields(Type type) {
    if (type instanceof ParameterizedType generic) {
      Stream.of(generic.getActualTypeArguments()).forEach(DocumentsTest::addFields);
    } else if (type instanceof Class<?> part && part.isRecord()) {
      statusFields.addAll(fieldsOf(part));
      Stream.of(part.getRecordComponents())
          .map(RecordComponent::getGenericType)
          .forEach(DocumentsTest::addFields);
    }
  }

  private static List<Found> wrong(
      Function<MarkdownPage, List<Found>> what, Predicate<Found> right) {
    return checkout.pages().stream()
        .flatMap(page -> what.apply(page).stream())
        .filter(right.negate())
        .toList();
  }

  /** The names in the first cell of each row of a page's tables. */
  private static Stream<String> firstCells(String page) {
    return firstCells(checkout.page(page).lines());
  }

  private static Stream<String> firstCells(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(2, line.indexOf(" |", 2)))
        .flatMap(cell -> Stream.of(cell.split(", ")))
        .map(name -> name.replace("`", ""));
  }

  private boolean leads(Found link) {
    if (link.text().matches("[a-z]+:.*")) {
      return URI.create(link.text()).isAbsolute();
    }
    String[] parts = link.text().split("#", 2);
    Path folder = link.file().getParent() == null ? Path.of("") : link.file().getParent();
    Path target = parts[0].isEmpty() ? link.file() : folder.resolve(parts[0]).normalize();
    return checkout.hasPath(target.toString())
        && (parts.length == 1 || checkout.page(target.toString()).anchors().contains(parts[1]));
  }

  private boolean exists(Found code) {
    String text = code.text().strip();
    Matcher setting = SETTING.matcher(text);
    Matcher key = TASK_KEY.matcher(text);
    Matcher method = METHOD.matcher(text);
    if (method.matches()) {
      return checkout.hasMethod(method.group(1), method.group(2));
    }
    if (OF_OTHERS.contains(text) || text.startsWith("pg_")) {
      return true;
    }
    if (COMMAND.matcher(text).matches()) {
      return runs(text);
    }
    if (text.startsWith("--")) {
      return isOption(text.split("[ =]")[0]);
    }
    if (text.startsWith("/") || text.contains("://") || PLACEHOLDER.matcher(text).find()) {
      return true;
    }
    if (isPath(text)) {
      return checkout.hasPath(text.split("[ *:]")[0]);
    }
    if (text.matches("[\\w.-]+\\.(java|yaml|md|sh)")) {
      return checkout.hasFileNamed(text);
    }
    if (OWN_NAME.matcher(text).matches()) {
      return metrics.contains(text) || checkout.hasWord(text);
    }
    if (key.matches()) {
      return settings.contains(text.split(":")[0]) || checkout.hasWord(key.group(1));
    }
    if (setting.matches()) {
      return isKnown(setting.group(1));
    }
    if (NAME.matcher(text).matches()) {
      return settings.contains(text)
          || statusFields.contains(text)
          || problems.contains(text)
          || checkout.hasWord(text);
    }
    if (CONSTANT.matcher(text).matches()) {
      return checkout.hasWord(text) || SQL_WORDS.contains(text);
    }
    return true;
  }

  /** In plain words: three or more capitalised parts are a setting's name, or a class's. */
  private boolean namesSettings(Found paragraph) {
    Matcher name = IN_WORDS.matcher(paragraph.text());
    while (name.find()) {
      if (!isKnown(name.group())) {
        return false;
      }
    }
    return true;
  }

  private static boolean isKnown(String name) {
    return settings.contains(name)
        || checkout.hasWord(name)
        || checkout.hasFileNamed(name + ".java")
        || OF_OTHERS.contains(name);
  }

  /** Whether its first folder is one of the checkout's. */
  private static boolean isPath(String text) {
    int slash = text.indexOf('/');
    return slash > 0
        && text.substring(0, slash).matches("\\.?[a-z]+")
        && checkout.hasPath(text.substring(0, slash))
        && !text.contains("/target/");
  }

  private boolean runs(String line) {
    String text = line.replaceFirst(" #.*", "");
    Matcher tests = TEST_CLASSES.matcher(text);
    if (tests.find()) {
      return Stream.of(tests.group(1).split(","))
          .allMatch(name -> checkout.hasFileNamed(name.replaceFirst("#.*", "") + ".java"));
    }
    if (text.matches("bench/[a-z-]+( .*)?")) {
      return checkout.hasPath(text.split(" ")[0]);
    }
    Matcher command = COMMAND.matcher(text);
    if (!command.matches()) {
      return true;
    }
    String name = command.group(1);
    if (name.startsWith("-")) {
      return isOption(name);
    }
    if (!CommandModel.commands().contains(name)) {
      return false;
    }
    Matcher option = OPTION.matcher(command.group(2));
    while (option.find()) {
      if (!CommandModel.options(name).contains(option.group(1))
          && !CommandModel.commonOptions().contains(option.group(1))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOption(String name) {
    return CommandModel.commonOptions().contains(name)
        || CommandModel.commands().stream()
            .anyMatch(command -> CommandModel.options(command).contains(name));
  }
}
