package dev.sluice.config.task;

import static dev.sluice.config.Resources.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CutoverSectionTest {
  private static final String TASK =
      """
      task: orders-1
      migration-type: cdc
      source: {type: postgresql, url: "postgresql://replicator@db1/shop"}
      target: {type: postgresql, url: "postgresql://loader@db2:5433/shop"}
      table-mappings:
        rules:
          - {rule-type: selection, rule-id: 1, rule-name: all, rule-action: include,
             object-locator: {schema-name: public, table-name: "%"}}
      """;

  @TempDir Path folder;

  @Test
  void aTaskWithoutTheSectionHasNoHooks() throws IOException {
    assertThat(read("", Map.of()).cutover()).isEqualTo(CutoverConfig.NONE);
    assertThat(read("cutover: {}\n", Map.of()).cutover()).isEqualTo(CutoverConfig.NONE);
  }

  @Test
  void hooksAreReadInTheirOrderWithTheirSecrets() throws IOException {
    Files.writeString(folder.resolve("secret"), "s3cret\n");
    TaskConfig config =
        read(
            """
            cutover:
              hooks:
                - exec:
                    name: switch-dns
                    pause: [./pause, 1]
                    switch: [sh, -c, "echo ${HOME}"]
                    resume: [./resume]
                    timeout: 500ms
                - pgbouncer:
                    instances: [10.0.0.5:6432, "[::1]:6433"]
                    user: admin
                    password: ${env:CONSOLE}
                    database: shop
                    reload: true
                    sslmode: require
                    proof: {database: shop_proof, user: app, password: "${file:secret}"}
                    timeout: 2m
                - pgbouncer: {name: reports, instances: ["10.0.0.7:6432"], user: admin}
            """,
            Map.of("CONSOLE", "pa$$word"));

    assertThat(config.cutover().hooks())
        .containsExactly(
            new ExecHookConfig(
                "switch-dns",
                folder,
                List.of("./pause", "1"),
                List.of("sh", "-c", "echo ${HOME}"),
                List.of("./resume"),
                Duration.ofMillis(500)),
            new PgbouncerHookConfig(
                "pgbouncer",
                List.of(
                    console("10.0.0.5", 6432, "pa$$word", Map.of("sslmode", "require")),
                    console("::1", 6433, "pa$$word", Map.of("sslmode", "require"))),
                Optional.of("shop"),
                true,
                Optional.of(
                    new PgbouncerHookConfig.Proof("shop_proof", "app", Secret.of("s3cret"))),
                Duration.ofMinutes(2)),
            new PgbouncerHookConfig(
                "reports",
                List.of(console("10.0.0.7", 6432, "", Map.of())),
                Optional.empty(),
                false,
                Optional.empty(),
                Duration.ofSeconds(5)));
    assertThat(config.toString()).doesNotContain("pa$$word", "s3cret").contains("switch-dns");
  }

  @Test
  void allProblemsOfTheSectionAreReportedTogether() throws IOException {
    assertThat(
            problems(
                """
                cutover:
                  hook: []
                  hooks:
                    - exec: {name: Switch DNS, pause: [./p]}
                    - exec: {pause: []}
                    - exec: {name: nothing}
                    - exec: {name: secret, resume: [./r, "--password=${env:PATH}"]}
                    - exec: {name: text, pause: ./p, timeout: soon}
                    - {exec: {name: a, pause: [x]}, pgbouncer: {instances: ["h:1"], user: u}}
                    - {}
                    - shell: {}
                    - pgbouncer: {instances: [nowhere, "h:1", "h:1"], timeout: 11m, paused: true}
                    - pgbouncer: {instances: ["h:1"], user: u, sslmode: on-off, database: pgbouncer}
                    - pgbouncer: {name: b, instances: ["h:1"], user: u, proof: {database: p, user: u}}
                    - pgbouncer: {name: c, instances: ["h:1"], user: u}
                    - exec: {name: c, pause: [x]}
                """))
        .extracting(problem -> problem.thing().replaceFirst(".* ", "") + " | " + problem.found())
        .containsExactlyInAnyOrder(
            "cutover.hook | unknown key \"hook\"",
            "cutover.hooks[0].exec.name | the text \"Switch DNS\"",
            "cutover.hooks[1].exec.name | is missing",
            "cutover.hooks[1].exec.pause | an empty list",
            "cutover.hooks[2].exec | a hook without a command",
            "cutover.hooks[3].exec.resume[1] | a reference in an argument",
            "cutover.hooks[4].exec.pause | a text",
            "cutover.hooks[4].exec.timeout | the text \"soon\"",
            "cutover.hooks[5] | two hooks in one item",
            "cutover.hooks[6] | no hook",
            "cutover.hooks[7].shell | unknown key \"shell\"",
            "cutover.hooks[8].pgbouncer.instances[0] | the text \"nowhere\"",
            "cutover.hooks[8].pgbouncer.instances[2] | the text \"h:1\"",
            "cutover.hooks[8].pgbouncer.user | is missing",
            "cutover.hooks[8].pgbouncer.timeout | the text \"11m\"",
            "cutover.hooks[8].pgbouncer.paused | unknown key \"paused\"",
            "cutover.hooks[9].pgbouncer.sslmode | the text \"on-off\"",
            "cutover.hooks[9].pgbouncer.database | the text \"pgbouncer\"",
            "cutover.hooks[10].pgbouncer.proof | an object",
            "cutover.hooks[12] | another hook with the name \"c\"");
  }

  @Test
  void otherCommandsNeedNoneOfItsSecrets() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("home.yaml"),
            TASK
                + """
                cutover:
                  hooks:
                    - pgbouncer: {instances: ["h:1"], user: u, password: "${env:SET_NOWHERE}"}
                """);
    assertThat(TaskFile.readHome(file).task().text()).isEqualTo("orders-1");
    assertThat(TaskFile.readImport(file, Map.of()).task().text()).isEqualTo("orders-1");
    assertThat(problemsOf(() -> TaskFile.read(file, Map.of())))
        .singleElement()
        .extracting(Problem::found)
        .asString()
        .contains("SET_NOWHERE");
  }

  @Test
  void anEditOfTheHooksWaitsForTheNextStart() throws IOException {
    RunningSettings running = RunningSettings.of(read("", Map.of()));
    TaskConfig edited =
        read("cutover: {hooks: [{exec: {name: a, pause: [secret-word]}}]}\n", Map.of());
    assertThat(running.edited(edited).waitingForRestart()).containsExactly("cutover was edited");
  }

  private static Endpoint console(
      String host, int port, String password, Map<String, String> options) {
    return new Endpoint(host, port, "pgbouncer", "admin", Secret.of(password), options);
  }

  private TaskConfig read(String section, Map<String, String> environment) throws IOException {
    Path file = Files.writeString(folder.resolve("task.yaml"), TASK + section);
    return TaskFile.read(file, environment);
  }

  private List<Problem> problems(String section) {
    return problemsOf(() -> read(section, Map.of()));
  }
}
