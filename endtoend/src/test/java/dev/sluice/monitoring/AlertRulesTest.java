package dev.sluice.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.monitoring.AlertRules.Alert;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds the alert rules to the list of metrics. Where promtool is installed, each alert also fires
 * on made-up series, not before, and no other one with it.
 */
class AlertRulesTest {
  // Tests run in the module's folder.
  private static final Path ROOT = Path.of("..");
  private static final Path CASES = Path.of("src/test/resources/monitoring");
  private static final List<String> FILES = List.of("cases.yaml", "cases-of-days.yaml");
  private static final Set<String> SEVERITIES = Set.of("critical", "warning", "info");

  private static List<Alert> alerts;

  @BeforeAll
  static void read() throws Exception {
    alerts = AlertRules.read(ROOT);
  }

  @Test
  void everyMetricAndLabelOfARuleExists() {
    KnownSeries series = new KnownSeries();
    assertThat(alerts).hasSizeGreaterThan(15);
    assertThat(alerts.stream().flatMap(alert -> series.unknown(alert.expression()).stream()))
        .isEmpty();
  }

  @Test
  void everyAlertSaysWhatItIsAndWhatToDoAndWhereToRead() {
    assertThat(alerts).extracting(Alert::name).doesNotHaveDuplicates();
    assertThat(alerts)
        .allSatisfy(
            alert -> {
              assertThat(alert.name()).matches("Sluice[A-Z][A-Za-z]+");
              assertThat(alert.lasts()).matches("|[0-9]+[mhd]");
              assertThat(SEVERITIES).contains(alert.severity());
              assertThat(alert.summary()).startsWith("{{ $labels.").contains("}}: ");
              assertThat(alert.meaning()).doesNotContain("{{");
              assertThat(alert.description()).endsWith(".").doesNotContain("://", "{{");
              assertThat(alert.page()).matches("docs/operate/[a-z-]+\\.md");
              assertThat(ROOT.resolve(alert.page())).exists();
            });
  }

  @Test
  void everyAlertHasACaseInWhichItFires() throws Exception {
    List<String> expected = new ArrayList<>();
    for (String file : FILES) {
      expected.addAll(AlertRules.expected(CASES.resolve(file)));
    }
    assertThat(expected)
        .containsAll(alerts.stream().map(alert -> "{alertname=\"" + alert.name() + "\"}").toList());
  }

  @Test
  void promtoolTakesTheRules() throws Exception {
    PrometheusProgram.promtool(ROOT, "check", "rules", AlertRules.FILE.toString());
  }

  @Test
  void eachAlertFiresInItsCaseAndNoOtherOneDoes(@TempDir Path folder) throws Exception {
    Files.copy(ROOT.resolve(AlertRules.FILE), folder.resolve("sluice-alerts.yaml"));
    for (String file : FILES) {
      Files.copy(CASES.resolve(file), folder.resolve(file));
      PrometheusProgram.promtool(folder, "test", "rules", file);
    }
  }
}
