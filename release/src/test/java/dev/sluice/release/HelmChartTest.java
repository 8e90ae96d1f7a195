package dev.sluice.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The Helm chart, rendered by a real helm. Where helm is not installed, only files are compared.
 */
class HelmChartTest {
  private static final String MONITORED =
      "monitoring: {podMonitor: true, prometheusRule: true, labels: {release: prometheus}}\n";

  @TempDir Path folder;

  private HelmChart chart;

  @BeforeEach
  void open() {
    chart = new HelmChart(folder);
  }

  @Test
  void helmFindsNothingToComplainAbout() throws Exception {
    requireHelm();
    HelmChart.Result lint = chart.helm("lint", HelmChart.values() + MONITORED);
    assertThat(lint.exitCode()).as(lint.output()).isZero();
    assertThat(lint.output()).doesNotContain("[WARNING]", "[ERROR]");
  }

  @Test
  void aTaskIsOnePodAndKeepsItsVolume() throws Exception {
    JsonNode set = rendered().get("StatefulSet");
    assertThat(set.at("/spec/replicas").asInt()).isEqualTo(1);
    assertThat(set.at("/spec/template/spec/containers")).hasSize(1);
    assertThat(set.at("/spec/persistentVolumeClaimRetentionPolicy/whenDeleted").asText())
        .isEqualTo("Retain");
    JsonNode claim = set.at("/spec/volumeClaimTemplates/0");
    assertThat(claim.at("/spec/accessModes/0").asText()).isEqualTo("ReadWriteOnce");
    assertThat(set.at("/spec/template/spec/terminationGracePeriodSeconds").asInt())
        .isGreaterThanOrEqualTo(60);
  }

  @Test
  void aStoppedTaskHasNoPodAndARemovedOneRunsNoDaemon() throws Exception {
    requireHelm();
    JsonNode stopped = chart.render(HelmChart.values() + "mode: stopped\n").get("StatefulSet");
    assertThat(stopped.at("/spec/replicas").asInt(-1)).isZero();
    JsonNode removed = chart.render(HelmChart.values() + "mode: remove\n").get("StatefulSet");
    assertThat(removed.at("/spec/replicas").asInt()).isEqualTo(1);
    JsonNode container = removed.at("/spec/template/spec/containers/0");
    assertThat(container.path("args").toString())
        .isEqualTo("[\"stop\",\"/etc/sluice/task.yaml\",\"--drop\"]");
    assertThat(container.has("livenessProbe")).isFalse();
  }

  @Test
  void theDaemonIsAnOrdinaryUserWithoutRightsOnAReadOnlyRoot() throws Exception {
    JsonNode pod = rendered().get("StatefulSet").at("/spec/template/spec");
    JsonNode ofPod = pod.path("securityContext");
    assertThat(ofPod.path("runAsNonRoot").asBoolean()).isTrue();
    assertThat(ofPod.path("runAsUser").asInt()).isEqualTo(userOfTheImage());
    assertThat(ofPod.at("/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
    assertThat(ofPod.path("fsGroupChangePolicy").asText()).isEqualTo("OnRootMismatch");
    JsonNode container = pod.at("/containers/0");
    JsonNode ofContainer = container.path("securityContext");
    assertThat(ofContainer.path("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(ofContainer.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(ofContainer.at("/capabilities/drop/0").asText()).isEqualTo("ALL");
    assertThat(ofContainer.has("privileged")).isFalse();
    assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
    for (String ofTheHost : List.of("hostNetwork", "hostPID", "hostIPC")) {
      assertThat(pod.has(ofTheHost)).as(ofTheHost).isFalse();
    }
    List<String> writable = new ArrayList<>();
    container
        .path("volumeMounts")
        .forEach(
            mount -> {
              if (!mount.path("readOnly").asBoolean()) {
                writable.add(mount.path("mountPath").asText());
              }
            });
    assertThat(writable).containsExactlyInAnyOrder("/var/lib/sluice", "/tmp");
    assertThat(container.at("/resources/limits/memory").asText()).isNotEmpty();
    assertThat(container.at("/resources/requests/cpu").asText()).isNotEmpty();
  }

  @Test
  void aDaemonThatIsNotReadyIsNotStartedAgain() throws Exception {
    JsonNode container = rendered().get("StatefulSet").at("/spec/template/spec/containers/0");
    assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/health");
    assertThat(container.at("/startupProbe/httpGet/path").asText()).isEqualTo("/health");
    assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/ready");
    assertThat(container.at("/ports/0/containerPort").asInt()).isEqualTo(8080);
  }

  @Test
  void theTaskFileIsOneThatSluiceReadsAndLiesOnTheVolume() throws Exception {
    Map<String, JsonNode> objects = rendered();
    String text = objects.get("ConfigMap").at("/data/task.yaml").asText();
    assertThat(text).contains("${env:SOURCE_PASSWORD}", "${env:TARGET_PASSWORD}");
    TaskConfig task =
        TaskFile.read(
            Files.writeString(
                folder.resolve("task.yaml"), text.replaceAll("\\$\\{env:[A-Z_]+}", "any")));
    JsonNode container = objects.get("StatefulSet").at("/spec/template/spec/containers/0");
    assertThat(task.dataDir().toString()).isEqualTo("/var/lib/sluice/data");
    assertThat(text).contains("http: 0.0.0.0:8080");
    assertThat(container.path("args").toString()).isEqualTo("[\"run\",\"/etc/sluice/task.yaml\"]");
  }

  @Test
  void passwordsComeFromSecretsOnly() throws Exception {
    JsonNode container = rendered().get("StatefulSet").at("/spec/template/spec/containers/0");
    for (JsonNode variable : container.path("env")) {
      if (!variable.path("name").asText().equals("SLUICE_OPTS")) {
        assertThat(variable.has("value")).as("%s", variable).isFalse();
        assertThat(variable.at("/valueFrom/secretKeyRef").has("key")).isTrue();
      }
    }
    assertThat(rendered()).doesNotContainKey("Secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "${env:SOURCE_PASSWORD} | hunter2 | task/source/password",
        "${env:TARGET_PASSWORD} | ${env:ANOTHER} | ${env:ANOTHER} stands for a variable that nothing fills",
        "//loader@ | //loader:hunter2@ | task/target/url",
        "task: | \"replicas: 2\ntask:\" | replicas",
        "migration-type: | \"http: 0.0.0.0:9090\n  migration-type:\" | task/http",
        "migration-type: | \"data-dir: /data\n  migration-type:\" | task/data-dir",
      })
  void whatIsNotSafeIsRefusedAndNamed(String part, String replacement, String named)
      throws Exception {
    requireHelm();
    String values = HelmChart.values();
    int at = values.indexOf(part);
    assertThat(at).isNotNegative();
    HelmChart.Result refused =
        chart.helm(
            "template",
            values.substring(0, at) + replacement + values.substring(at + part.length()));
    assertThat(refused.exitCode()).as(refused.output()).isNotZero();
    assertThat(refused.output().replaceAll("[./]", "/")).contains(named.replaceAll("[./]", "/"));
  }

  @Test
  void thePageIsInsideTheCluster() throws Exception {
    JsonNode service = rendered().get("Service");
    assertThat(service.at("/spec/type").asText()).isEqualTo("ClusterIP");
    assertThat(rendered()).doesNotContainKey("Ingress");
  }

  @Test
  void monitoringIsOptionalAndItsAlertsAreThoseOfTheRulesFile() throws Exception {
    assertThat(rendered()).doesNotContainKeys("PodMonitor", "PrometheusRule");
    Map<String, JsonNode> objects = chart.render(HelmChart.values() + MONITORED);
    JsonNode rules = HelmChart.YAML.readTree(Path.of("../monitoring/sluice-alerts.yaml").toFile());
    assertThat(objects.get("PrometheusRule").path("spec")).isEqualTo(rules);
    assertThat(objects.get("PrometheusRule").at("/metadata/labels/release").asText())
        .isEqualTo("prometheus");
    JsonNode monitor = objects.get("PodMonitor");
    assertThat(monitor.at("/spec/podMetricsEndpoints/0/path").asText()).isEqualTo("/metrics");
    JsonNode labels = objects.get("StatefulSet").at("/spec/template/metadata/labels");
    assertThat(monitor.at("/spec/selector/matchLabels").properties())
        .allSatisfy(label -> assertThat(labels.get(label.getKey())).isEqualTo(label.getValue()));
    // As the alert on a daemon that is gone finds it.
    assertThat(rules.toString()).contains("up{job=\\\"sluice\\\"}");
    assertThat(labels.path(monitor.at("/spec/jobLabel").asText()).asText()).isEqualTo("sluice");
  }

  @Test
  void theChartsAlertsAreALinkToTheRulesFile() throws Exception {
    Path alerts = HelmChart.DIRECTORY.resolve("files/sluice-alerts.yaml");
    assertThat(alerts.toRealPath())
        .isEqualTo(Path.of("../monitoring/sluice-alerts.yaml").toRealPath());
  }

  @Test
  void theChartIsOfThisVersion() throws Exception {
    JsonNode described =
        HelmChart.YAML.readTree(HelmChart.DIRECTORY.resolve("Chart.yaml").toFile());
    String version =
        Path.of(System.getProperty("sluice.release"))
            .getFileName()
            .toString()
            .replaceFirst("^sluice-(.*)\\.tar\\.gz$", "$1");
    assertThat(described.path("appVersion").asText()).isEqualTo(version);
    assertThat(described.path("version").asText()).isEqualTo(version.replace("-SNAPSHOT", ""));
  }

  private Map<String, JsonNode> rendered() throws Exception {
    requireHelm();
    return chart.render(HelmChart.values());
  }

  private static void requireHelm() {
    assumeTrue(HelmChart.isHelmThere(), "helm is not installed");
  }

  private static int userOfTheImage() throws Exception {
    return Files.readAllLines(Path.of("../docker/daemon/Dockerfile")).stream()
        .filter(line -> line.startsWith("USER "))
        .map(line -> Integer.parseInt(line.substring("USER ".length())))
        .findFirst()
        .orElseThrow();
  }
}
