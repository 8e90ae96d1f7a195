package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.window.policy.CloseReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/** The real page of the daemon's HTTP server, in a real browser; the status is written by hand. */
class PageInBrowserTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String MARKUP = "<img src=x onerror=";

  @RegisterExtension static final PageInBrowser PAGE = new PageInBrowser();

  private final Browser browser = PAGE.browser();
  private final StandingTask task = PAGE.newTask();

  @Test
  void theOverviewSaysWhatIsWrongHowFarBehindAndUntilWhen() {
    assertThat(browser.text("#state"))
        .contains("problems", "Changes are applied as they come.", "replicating since");
    assertThat(browser.text("#attention"))
        .contains("SWAP_FULL: found an open transaction of 2.1 GiB", "Raise SwapLimit")
        .contains("The target does not answer since", "connection refused")
        .contains("The source log fills: 2.0 GiB held", "8.0 hours left")
        .contains("2 tables suspended")
        .contains("The target rejected 3 changes of 1 table", "sluice_apply_exceptions")
        .contains("2 rows of 1 table differ", "sluice repair TASK.yaml")
        .contains("The old source is still written to: 6 changes")
        .contains("The way back is blocked: the role sluice_back")
        .contains("1 index or constraint could not be made; the first is order_items_order_fk")
        .contains("The files have a problem");
    assertThat(browser.text("#figures"))
        .contains("Behind the source38 s", "the journal 0.4 s")
        .contains("118,700 changes", "gone in 24 s, at ")
        .contains("8.0 hours until the source log is full")
        .contains("15 of 17 tables", "2 rows differ")
        .contains("22 tables", "2 suspended, 3 changes rejected");
    assertThat(browser.title()).startsWith("✖ shop-migration: problem");
  }

  @Test
  void aNewcomerFindsTheAnswersToFiveQuestionsOnTheOverview() {
    assertThat(browser.text("#state .verdict"))
        .as("is it healthy")
        .isEqualTo("6 problems and 7 warnings");
    assertThat(figure("Behind the source"))
        .as("how far behind")
        .isEqualTo("38 s the journal 0.4 s");
    assertThat(figure("Waiting to be applied"))
        .as("until when")
        .matches("118,700 changes gone in 24 s, at \\d\\d:\\d\\d:\\d\\d, at the present rate");
    assertThat(figure("Slowest table"))
        .as("which table is the slowest: those that stand")
        .matches("\\S.* stands, as \\d others?");
    assertThat(browser.text("#attention"))
        .as("what was rejected, and why")
        .contains("The target rejected 3 changes of 1 table")
        .contains("The last one of shop.order_items: INSERT: ERROR: new row for relation")
        .contains("violates check constraint \"positive\"");
    assertThat(figure("A cutover stops writers for"))
        .as("how long a cutover would block writers")
        .isEqualTo("0.4 s as in the last rehearsal");

    task.become(StandingTask.healthy());
    await().atMost(LONG).until(() -> browser.text("#state").contains("Healthy"));
    assertThat(figure("Slowest table"))
        .isEqualTo("none all are 0.3 s behind: they share their way");
    assertThat(figure("A cutover stops writers for"))
        .isEqualTo("not known yet a rehearsal measures it");
    task.become(StandingTask.inTwoLanes());
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> assertThat(figure("Slowest table")).isEqualTo("shop.orders 7.5 s behind"));
  }

  /** The value and the detail below a heading of the overview. */
  private String figure(String heading) {
    return String.valueOf(
        browser.run(
            "return [...document.querySelectorAll('#figures > div')].find(d =>"
                + " d.querySelector('dt').textContent === arguments[0])"
                + ".querySelector('dd').textContent",
            heading));
  }

  @Test
  void eachSectionShowsItsPartOfTheStatus() {
    assertThat(browser.text("#suspended"))
        .contains("shop.payments", "violates check constraint", "<i>refund</i>")
        .contains("sluice resume TASK.yaml shop.payments")
        .contains("sluice reload TASK.yaml '\"My \"\"quoted\"\" Shop\".it'\\''s odd; rm -rf'")
        .contains("shop.stock", "reloading", "70,000");
    assertThat(browser.text("#tables-list"))
        .contains("shop.orders", "3,310,022", "Table is being reloaded")
        .contains("archive.events_2025_12");
    assertThat(browser.text("#full-load"))
        .contains("72.4 %", "1 min", "LoadRowsPerSecond")
        .contains("order_items_order_fk", "violates foreign key constraint");
    assertThat(browser.text("#proof"))
        .contains("15 of 17 tables proven equal", "It waits: the target is 38 s behind")
        .contains("Mismatched records", "not compared: photo", "sluice repair TASK.yaml");
    assertThat(browser.text("#cutover"))
        .contains("failed", "the writers were released", "12:00:00.412 writers stopped")
        .contains(
            "application <b>billing</b>", "shop.orders_id_seq", "not-armed", "0.3 s, back at");
    assertThat(browser.text("#servers"))
        .contains("db2:5432 <u>away</u>", "max_slot_wal_keep_size", "lane 1", "READY")
        .contains("0/5A1C2000", "replication slot sluice_shop");
    assertThat(browser.text("#settings"))
        .contains("Sluice.SwapLimit", "tune", "4 GiB, in effect 1 GiB")
        .contains("1 GiB became 2 GiB", "found SwapLimit: lots", "shop.orders: batch-apply: false");
    assertThat(browser.text("#settings-list")).doesNotContain("BatchApplyTimeoutMax");
    assertThat(browser.text("#footer")).contains("Process 4711", "epoch 3");
  }

  @Test
  void textsOfTheDaemonAreNeverMarkup() {
    assertThat(browser.text("#tables-list")).contains("public." + MARKUP);
    assertThat(browser.text("#attention")).contains("Process 4711 of " + MARKUP);
    assertThat(browser.text("#proof-list")).contains(MARKUP);
    assertThat(browser.run("return document.body.dataset.broken ?? null")).isNull();
    assertThat(browser.all("main img, main script, main i, main b, main u")).isEmpty();
    assertThat(
            browser.run(
                "try { document.body.innerHTML = '<p>x'; return 'set'; } catch (e) { return e.name; }"))
        .as("a browser refuses to make markup of a text")
        .isEqualTo("TypeError");
    browser.problems();
  }

  @Test
  void whatChangesIsShownWithoutAReload() {
    browser.run("window.sameDocument = true");
    task.become(StandingTask.healthy());
    await().atMost(LONG).until(() -> browser.text("#state").contains("Healthy: nothing needs"));
    assertThat(browser.text("#attention")).isEmpty();
    assertThat(browser.text("#figures")).contains("0.3 s of work", "1,400 changes");
    assertThat(browser.find("#full-load").isDisplayed()).isFalse();
    assertThat(browser.title()).startsWith("● shop-migration: replicating");
    assertThat(browser.text("#plots")).contains("target 0.3 s", "not applied yet 1,400");
    assertThat(browser.run("return window.sameDocument")).isEqualTo(true);
  }

  @Test
  void aDaemonThatGoesAwayIsSaidSoAndItsReturnIsSeen() {
    PAGE.stopDaemon();
    await().atMost(LONG).until(() -> browser.find("#lost").isDisplayed());
    assertThat(browser.text("#state")).isEqualTo("Unknown: the daemon does not answer");
    assertThat(browser.text("#lost"))
        .containsPattern(
            "The daemon last answered at \\d\\d:\\d\\d:\\d\\d; everything below is as it was")
        .contains("sluice status TASK.yaml");
    assertThat(browser.text("#connection")).startsWith("no answer since ");
    assertThat(browser.title()).contains("no answer");
    assertThat(browser.text("#figures")).contains("118,700 changes");

    task.become(StandingTask.healthy());
    PAGE.startAgain(task);
    await().atMost(LONG).until(() -> browser.text("#connection").startsWith("live"));
    assertThat(browser.find("#lost").isDisplayed()).isFalse();
    await().atMost(LONG).until(() -> browser.text("#state").contains("Healthy"));
    // Requests that found nobody are errors to the browser.
    browser.problems();
  }

  @Test
  void withoutAPlaceForLiveUpdatesThePageAsksAtIntervals() {
    PAGE.served().page().updates().close();
    await().atMost(LONG).until(() -> browser.text("#connection").startsWith("asked for"));
    task.become(StandingTask.healthy());
    await().atMost(LONG).until(() -> browser.text("#state").contains("Healthy"));
    browser.problems();
  }

  @Test
  void commandsOfAWayBackAreForItsDaemon() {
    task.become(StandingTask.ofWayBack());
    browser.open(PAGE.served().url());
    await()
        .atMost(LONG)
        .until(
            () ->
                browser
                    .text("#suspended")
                    .contains("sluice resume TASK.yaml --fallback shop.payments"));
    assertThat(browser.text("#attention")).contains("sluice repair TASK.yaml --fallback");
    assertThat(browser.text("#cutover-guide"))
        .contains("Bring the applications back, step by step", "Fall back")
        .doesNotContain("Cut over");
  }

  @Test
  void theLastWindowsSayWhatClosedThemAndWhatTheyCost() {
    assertThat(browser.text("#windows")).contains("No window with changes was applied yet.");
    WindowScript windows = new WindowScript(task.windows());
    windows.applied(CloseReason.READY, 1200, 900);
    windows.applied(LaneId.parallel(2), CloseReason.MAX_TIME, 60_000, 41_000);
    windows.applied(CloseReason.CAUGHT_UP, 5, 5);
    await().atMost(LONG).until(() -> browser.all("figure.windows .window").size() == 3);
    assertThat(browser.texts("figure.windows .letter")).containsExactly("R", "T", "C");
    assertThat(browser.text("#windows .reasons"))
        .contains("R READY 1 window, 2 % of the time: enough changes waited")
        .contains("T MAX_TIME 1 window, 98 % of the time: BatchApplyTimeoutMax had passed")
        .contains("C CAUGHT_UP 1 window, 0 % of the time", "M MEMORY 0 windows", "B BARRIER");
    assertThat(browser.text("#window-detail"))
        .contains("Window 3, main, closed by CAUGHT_UP")
        .contains("changes in5 of 1 transaction, 1000 B", "applied in0.5 ms", "insert 0.4 ms")
        .doesNotContain("failed attempts");

    browser.find("#window-number").sendKeys(Keys.HOME);
    assertThat(browser.text("#windows output")).isEqualTo("1");
    assertThat(browser.find("#window-number").getDomAttribute("aria-valuetext"))
        .isEqualTo("1: READY, 1,200 changes in 120 ms");
    browser.find("#window-number").sendKeys(Keys.ARROW_RIGHT);
    assertThat(browser.text("#window-detail"))
        .contains("Window 2, lane 2, closed by MAX_TIME")
        .contains("60,000 of 6,001 transactions, 11.4 MiB", "41,000 in 3 statements")
        .contains("filled for1.0 s", "applied in6.0 s", "insert 4.5 s, commit 1.5 s")
        .contains("first commit to visible7.2 s", "failed attempts2");
    assertThat(browser.all("figure.windows .window.read .max-time")).hasSize(1);

    windows.applied(CloseReason.BARRIER, 0, 0);
    await().atMost(LONG).until(() -> browser.all("figure.windows .window").size() == 4);
    assertThat(browser.text("#windows output")).as("what is read stays").isEqualTo("2");
    browser.find("#window-number").sendKeys(Keys.END);
    assertThat(browser.text("#windows output")).isEqualTo("4, the last");
    browser.press("#windows summary");
    await().atMost(LONG).until(() -> browser.all("#windows-list tbody tr").size() == 4);
    assertThat(browser.text("#windows-list tbody tr:first-child")).contains("BARRIER");
    browser.find("#windows-list-filter").sendKeys("closed by MAX_TIME");
    assertThat(browser.text("#windows-list tbody"))
        .contains("insert 4.5 s")
        .doesNotContain("READY");
    assertThat(browser.problems()).isEmpty();
  }

  @Test
  void theWindowsOfANewDaemonTakeThePlaceOfTheLastOnes() {
    new WindowScript(task.windows()).applied(CloseReason.READY, 1200, 900);
    new WindowScript(task.windows()).applied(CloseReason.READY, 1300, 900);
    await().atMost(LONG).until(() -> browser.all("figure.windows .window").size() == 2);
    PAGE.stopDaemon();
    StandingTask next = new StandingTask(StandingTask.healthy());
    new WindowScript(next.windows()).applied(CloseReason.MEMORY, 70, 70);
    new WindowScript(next.windows()).applied(CloseReason.MEMORY, 71, 71);
    new WindowScript(next.windows()).applied(CloseReason.MEMORY, 72, 72);
    PAGE.startAgain(next);
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(browser.texts("figure.windows .letter")).containsExactly("M", "M", "M"));
    browser.problems();
  }

  @Test
  void theOtherTasksOfTheMachineAreListedWithALinkThatTakesNoTokenAlong() throws Exception {
    assertThat(browser.find("#other-tasks").isDisplayed()).isFalse();
    StandingTask other = new StandingTask(StandingTask.ofWayBack());
    Path directory = Files.createDirectory(PAGE.folder().resolve("other"));
    try (ServedPage second = ServedPage.start(directory, other, 0)) {
      LastState.write(directory, other.status(), false, Instant.now());
      Path dead = Files.createDirectory(PAGE.folder().resolve("dead"));
      LastState.write(dead, StandingTask.healthy(), false, Instant.now().minusSeconds(3600));
      await().atMost(LONG).until(() -> browser.all("#other-tasks li").size() == 2);
      assertThat(browser.texts("#other-tasks li").get(0))
          .contains("shop-migration no sign since ", ", then replicating");
      assertThat(browser.texts("#other-tasks li").get(1))
          .contains("shop-migration_fallback replicating 38 s behind", "SWAP_FULL: found an open");
      assertThat(browser.texts("#other-tasks a")).containsExactly("shop-migration_fallback");
      assertThat(browser.find("#other-tasks a").getDomAttribute("href")).isEqualTo(second.url());
      assertThat(browser.find("#other-tasks a").getDomAttribute("rel"))
          .isEqualTo("noopener noreferrer");
      assertThat(browser.requestedHosts())
          .as("the other daemon is not asked")
          .allMatch(host -> host.equals(PAGE.served().host()));
    }
    assertThat(browser.problems()).isEmpty();
  }

  @Test
  void nothingIsWiderThanTheScreen() {
    for (int i = 0; i < 400; i++) {
      new WindowScript(task.windows())
          .applied(CloseReason.values()[i % CloseReason.values().length], 10 * i, i);
    }
    await().atMost(LONG).until(() -> !browser.all("figure.windows .window").isEmpty());
    browser.press("#windows summary");
    for (int width : List.of(360, 800, 1600, 3840)) {
      browser.resize(width, 900);
      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  assertThat(
                          browser.run(
                              "return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                      .as("pixels beyond a width of " + width)
                      .isEqualTo(0L));
    }
    browser.resize(360, 800);
    assertThat(
            browser.run("return document.querySelector('#figures').getBoundingClientRect().width"))
        .asString()
        .satisfies(width -> assertThat(Double.parseDouble(width)).isBetween(250.0, 360.0));
  }

  @Test
  void tablesAreSearchedFilteredAndSorted() {
    browser.find("#tables-list-search").sendKeys("events_2025_1");
    assertThat(names())
        .containsExactly(
            "archive.events_2025_10", "archive.events_2025_11", "archive.events_2025_12");
    browser.find("#tables-list-search").clear();
    browser.find("#tables-list-search").sendKeys(Keys.SPACE, Keys.BACK_SPACE);
    browser.find("#tables-list-filter").sendKeys("tables that need attention");
    assertThat(names())
        .contains("shop.payments", "shop.order_items")
        .doesNotContain("shop.orders", "archive.events_2025_01");
    browser.find("#tables-list-filter").sendKeys("all tables");
    browser.press("#tables-list thead th:nth-child(3) button");
    assertThat(names().subList(0, 4))
        .as("tables that stand come first, then the one that catches up")
        .containsExactlyInAnyOrder(
            "shop.payments", "My \"quoted\" Shop.it's odd; rm -rf", "shop.stock", "shop.audit.log")
        .endsWith("shop.audit.log");
    assertThat(browser.find("#tables-list thead th:nth-child(3)").getDomAttribute("aria-sort"))
        .isEqualTo("descending");
  }

  @Test
  void plotsSayTheirFiguresInWordsAndAreReadWithTheKeyboard() {
    await().atMost(LONG).until(() -> browser.all(".plot path.line").size() >= 6);
    await().atMost(LONG).until(() -> browser.text("#plots").contains("target 38 s"));
    assertThat(browser.text("#plots"))
        .contains("journal 0.4 s", "applied 9,120 rows/s", "source log 8.0 hours")
        .contains("Kafka disk does not fill");
    assertThat(browser.text("#plots output")).isEqualTo("now");
    await()
        .atMost(LONG)
        .until(() -> Integer.parseInt(browser.find("#plot-time").getDomProperty("max")) > 1);
    browser.find("#plot-time").sendKeys(Keys.HOME);
    assertThat(browser.text("#plots output")).matches("\\d\\d:\\d\\d:\\d\\d");
    assertThat(browser.all(".plot .cursor")).isNotEmpty();
    browser.find("#plot-time").sendKeys(Keys.END);
    assertThat(browser.text("#plots output")).isEqualTo("now");

    browser.press("input[value='24h']");
    await().atMost(LONG).until(() -> browser.text(".plot .time").endsWith(":00"));
  }

  @Test
  void aScreenReaderFindsItsWay() {
    for (String landmark : List.of("header", "nav[aria-label]", "main", "footer")) {
      assertThat(browser.all(landmark)).as(landmark).hasSize(1);
    }
    assertThat(browser.all("h1")).hasSize(1);
    assertThat(
            browser.run(
                "return [...document.querySelectorAll('section')].every(s => s.querySelector('h2')?.id === s.getAttribute('aria-labelledby'))"))
        .isEqualTo(true);
    assertThat(
            browser.run(
                "return [...document.querySelectorAll('table')].filter(t => !t.caption?.textContent).length"))
        .as("tables without a caption")
        .isEqualTo(0L);
    assertThat(
            browser.run(
                "return [...document.querySelectorAll('input, select')].filter(i => i.labels.length === 0).length"))
        .as("fields without a label")
        .isEqualTo(0L);
    assertThat(
            browser.run(
                "return [...document.querySelectorAll('[aria-live]')].filter(e => !e.matches('.outcome, .token span')).map(e => e.id).join()"))
        .as("apart from what came of commands only states are read out when they change")
        .isEqualTo("state,cutover-step");
    assertThat(browser.run("return document.querySelectorAll('svg:not([aria-hidden])').length"))
        .isEqualTo(0L);
  }

  @Test
  void thePageTalksToItsDaemonAloneAndReportsNoError() {
    TaskStatus seen = task.status();
    task.become(StandingTask.healthy());
    await().atMost(LONG).until(() -> browser.text("#state").contains("Healthy"));
    task.become(seen);
    await().atMost(LONG).until(() -> browser.text("#attention").contains("SWAP_FULL"));
    browser.press("input[value='1h']");
    browser.find("#settings-list-filter").sendKeys("all settings");
    browser.prefer("dark");
    assertThat(browser.requestedHosts())
        .isNotEmpty()
        .allMatch(host -> host.equals(PAGE.served().host()));
    assertThat(browser.problems()).isEmpty();
  }

  private List<String> names() {
    return browser.texts("#tables-list tbody tr th");
  }
}
