package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.TwoServers;
import dev.sluice.engine.daemon.DdlTask;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.ControlToken;
import dev.sluice.engine.status.StatusServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** A real task, from a suspended table to the end of its cutover, by its page alone. */
class LivePageInBrowserTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void aTaskIsHealedTunedRehearsedAndCutOverOnItsPage() throws Exception {
    DdlTask task =
        DdlTask.make(folder, "clicked", SERVERS.source(), SERVERS.target(), "")
            .withErrors(", DataErrorPolicy: SUSPEND_TABLE, TableErrorPolicy: SUSPEND_TABLE");
    task.onSource(
        "CREATE TABLE held (id int PRIMARY KEY)",
        "INSERT INTO held VALUES (1)",
        "CREATE VIEW dear AS SELECT * FROM item WHERE price > 100");
    try (RunningDaemon running = RunningDaemon.replicating(task.config());
        Browser browser = Browser.start(folder.resolve("profile"))) {
      task.onTarget("ALTER TABLE held ADD CONSTRAINT small CHECK (id < 5)");
      task.onSource("INSERT INTO held VALUES (5)");
      browser.open("http://" + StatusServer.addressOf(task.config().dataDir()).orElseThrow() + "/");
      awaitText(browser, "#suspended", "public.held", "small");
      browser.press("#enter-token");
      browser
          .find("#token-field")
          .sendKeys(ControlToken.read(task.config().dataDir()).text(), Keys.ENTER);
      awaitText(browser, "#token", "Commands are possible");

      browser.pressButton("Check");
      awaitText(browser, "#cutover-guide", "No-go", "suspended-tables", "public.dear");
      task.onTarget("ALTER TABLE held DROP CONSTRAINT small");
      browser.pressButton("Resume public.held");
      awaitText(browser, "#suspended .outcome", "Done");
      await().atMost(LONG).until(() -> browser.all("#suspended article").isEmpty());
      assertThat(task.target("SELECT count(*) FROM held")).isEqualTo("2");

      browser.find("#tune-name").sendKeys("ChangeProcessingTuning.BatchApplyTimeoutMin");
      browser.find("#tune-value").sendKeys("soon");
      browser.pressButton("Change it");
      awaitText(browser, "#tune .outcome", "Not done", "BatchApplyTimeoutMin", "soon");
      browser.fill("#tune-value", "0.2");
      browser.pressButton("Change it");
      awaitText(browser, "#tune .outcome", "Done", "BatchApplyTimeoutMin", " -> ");
      awaitText(browser, "#settings-list", "BatchApplyTimeoutMin", "tune");

      browser.fill("#cutover-budget", "20");
      await()
          .atMost(LONG)
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                // Pressed again, it would say that it waits.
                String said = browser.text("#cutover-guide .outcome");
                boolean choice = said.endsWith(" 1 choice") && !said.contains("blocker");
                if (!choice) {
                  browser.pressButton("Check");
                }
                return choice;
              });
      browser.press("#cutover-findings input[value='missing-view']");
      check(browser);
      browser.pressButton("Rehearse");
      browser.press("dialog button[type=submit]");
      awaitText(browser, "#cutover-guide", "rehearsed: the writers of the source were stopped");
      awaitText(browser, "#rehearsal", "writers stopped:", "the writers are stopped");
      assertThat(running.phase()).isEqualTo("replicating");

      check(browser);
      browser.pressButton("Cut over");
      browser.find("#task-typed").sendKeys("clicked", Keys.ENTER);
      awaitText(browser, "#cutover-guide", "cut over");
      awaitText(browser, "#cutover-body", "done", "Report", "the writers are stopped");
      assertThat(running.phase()).isEqualTo("cut-over");
      assertThatThrownBy(() -> task.onSource("DELETE FROM held")).hasMessageContaining("moved");
      assertThat(browser.text("#cutover-guide"))
          .contains("The task is in phase cut-over; this begins in phase replicating.");
    }
  }

  /** Until the steps after the check can be taken. */
  private static void check(Browser browser) {
    browser.pressButton("Check");
    await()
        .atMost(LONG)
        .until(
            () ->
                browser.all("#cutover-guide .action button[aria-disabled]").stream()
                    .noneMatch(button -> button.getText().equals("Cut over")));
  }

  private static void awaitText(Browser browser, String selector, String... parts) {
    await().atMost(LONG).untilAsserted(() -> assertThat(browser.text(selector)).contains(parts));
  }
}
