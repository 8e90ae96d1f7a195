package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.context.TaskContext;
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
      awaitText(
          browser,
          "#cutover-guide",
          "The task is in phase cut-over; this begins in phase replicating.");
    }
  }

  @Test
  void aCutoverThatStandsIsContinuedAndTheApplicationsAreBroughtBackOnTheWayBacksPage()
      throws Exception {
    DdlTask task = DdlTask.make(folder, "returned", SERVERS.source(), SERVERS.target(), "");
    task.withFallback("returned_back");
    task.onSource(
        "CREATE ROLE returned_back LOGIN SUPERUSER",
        "INSERT INTO item SELECT i, 'n', 0 FROM generate_series(1, 100) i");
    try (RunningDaemon running = RunningDaemon.replicating(task.config());
        RunningDaemon back = RunningDaemon.start(task.fallback());
        Browser browser = Browser.start(folder.resolve("profile"))) {
      back.awaitPhase("armed");
      TaskContext.of(task.config()).cutOverTables().create();
      task.onTarget(
          "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN RAISE EXCEPTION ''no room''; END'",
          "CREATE TRIGGER refuse BEFORE INSERT ON sluice_cutover.cut_over_table"
              + " EXECUTE FUNCTION public.refuse()",
          "ALTER TABLE sluice_cutover.cut_over_table ENABLE ALWAYS TRIGGER refuse");
      open(browser, task.config());
      assertThat(isShown(browser, "Continue it")).isFalse();
      checkUntilGo(browser);
      decide(browser, "Cut over", "returned");
      awaitText(browser, "#cutover-guide", "not done yet", "the last steps failed", "no room");
      assertThat(running.phase()).isEqualTo("cutting-over");
      assertThatThrownBy(() -> task.onSource("DELETE FROM item")).hasMessageContaining("moved");

      // Somebody else comes to the page later.
      open(browser, task.config());
      awaitText(browser, "#attention", "the cutover's last steps broke off");
      assertThat(isShown(browser, "Continue it")).isTrue();
      decide(browser, "Continue it", "returned");
      awaitText(browser, "#cutover-guide", "not done yet", "no room");
      task.onTarget("DROP FUNCTION public.refuse() CASCADE");
      decide(browser, "Continue it", "returned");
      awaitText(browser, "#cutover-guide", "cut over");
      awaitText(browser, "#cutover-body", "done", "Nobody has written to it.");
      running.awaitPhase("cut-over");

      back.awaitPhase("replicating");
      task.onTarget(
          "UPDATE item SET price = price + 1 WHERE id <= 10",
          "DELETE FROM item WHERE id = 100",
          "INSERT INTO item VALUES (101, 'on the new side', 1)");
      open(browser, task.fallback());
      awaitText(browser, "#cutover-guide", "Bring the applications back, step by step");
      checkUntilGo(browser);
      decide(browser, "Fall back", task.fallback().task().text());
      awaitText(browser, "#cutover-body", "done", "Report");
      back.awaitPhase("cut-over");
      String rows = "SELECT count(*) || md5(string_agg(i::text, ';' ORDER BY id)) FROM item i";
      assertThat(task.source(rows)).startsWith("100").isEqualTo(task.target(rows));
      assertThat(task.source("SELECT name FROM item WHERE id = 101")).isEqualTo("on the new side");
      task.onSource("DELETE FROM item WHERE id = 1");
      assertThatThrownBy(() -> task.onTarget("DELETE FROM item")).hasMessageContaining("moved");
    }
  }

  /** The page of a task's daemon, with its token. */
  private static void open(Browser browser, TaskConfig config) {
    browser.open("http://" + StatusServer.addressOf(config.dataDir()).orElseThrow() + "/");
    awaitText(browser, "#connection", "live");
    if (browser.text("#token").startsWith("Reading only")) {
      browser.press("#enter-token");
      browser.find("#token-field").sendKeys(ControlToken.read(config.dataDir()).text(), Keys.ENTER);
    }
    awaitText(browser, "#token", "Commands are possible");
  }

  private static void checkUntilGo(Browser browser) {
    browser.fill("#cutover-budget", "20");
    await()
        .atMost(LONG)
        .pollInterval(Duration.ofSeconds(1))
        .until(
            () -> {
              boolean go =
                  browser.text("#cutover-guide .outcome").contains("nothing is in the way");
              if (!go) {
                browser.pressButton("Check");
              }
              return go;
            });
  }

  private static void decide(Browser browser, String button, String task) {
    await().atMost(LONG).until(() -> isUsable(browser, button));
    browser.pressButton(button);
    browser.find("#task-typed").sendKeys(task, Keys.ENTER);
    await().atMost(LONG).until(() -> browser.all("dialog").isEmpty());
    await().atMost(LONG).until(() -> !browser.text("#cutover-guide").contains("waiting for"));
  }

  private static boolean isUsable(Browser browser, String button) {
    return Boolean.TRUE.equals(
        browser.run(
            "return [...document.querySelectorAll('button')].some(b => b.textContent ==="
                + " arguments[0] && !b.ariaDisabled && b.checkVisibility())",
            button));
  }

  private static boolean isShown(Browser browser, String button) {
    return Boolean.TRUE.equals(
        browser.run(
            "return [...document.querySelectorAll('button')].some(b => b.textContent ==="
                + " arguments[0] && b.checkVisibility())",
            button));
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
