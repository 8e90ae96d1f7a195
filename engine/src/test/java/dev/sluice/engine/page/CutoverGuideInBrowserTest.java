package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.CutoverReport.Finding;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The guided cutover on the real page in a real browser; the task notes what it is asked. */
class CutoverGuideInBrowserTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String MARKUP = "<img src=x onerror=\"document.body.dataset.broken=1\">";

  private static final Finding BLOCKER =
      new Finding(
          "table-locks", "blocker", false, MARKUP, "is held", "nobody", "End it", 1, List.of());

  private static final String CONTINUES =
      "return [...document.querySelectorAll('#cutover-guide button')].some("
          + "b => b.textContent === 'Continue it' && b.checkVisibility())";

  @TempDir Path folder;

  @Test
  void onlyWhatWasCheckedAndAcceptedIsCutOverAfterTheNameIsTyped() {
    StandingTask task = new StandingTask(StandingTask.healthy());
    task.answers(new Outcome(true, 1.5, "cut over", List.of("sequence " + MARKUP)));
    task.reports(order -> report(order, List.of(BLOCKER, choice(order, "missing-view"))));
    try (ServedPage served = ServedPage.start(folder, task, 0);
        Browser browser = Browser.start(folder.resolve("profile"))) {
      served.openIn(browser);
      browser.press("#enter-token");
      browser.find("#token-field").sendKeys(served.token().text(), Keys.ENTER);
      awaitText(browser, "#token", "Commands are possible");
      browser.pressButton("Cut over");
      assertThat(browser.text("#cutover-guide")).contains("Check first.");
      assertThat(browser.all("dialog")).isEmpty();

      browser.pressButton("Check");
      awaitText(browser, "#cutover-guide", "No-go", "1 blocker, 1 choice", MARKUP, "Fix: End it");
      browser.pressButton("Cut over");
      awaitText(browser, "#cutover-guide", "The check says no-go.");
      assertThat(browser.all("dialog")).isEmpty();

      task.reports(order -> report(order, List.of(choice(order, "missing-view"))));
      browser.press("#cutover-findings input[value='missing-view']");
      awaitText(browser, "#cutover-guide", "has changed since the check: check again");
      browser.pressButton("Check");
      awaitText(browser, "#cutover-guide", "Go", "nothing is in the way; accepted: missing-view");

      browser.fill("#cutover-budget", "7");
      browser.pressButton("Cut over");
      assertThat(browser.all("dialog")).as("the check was for another budget").isEmpty();
      browser.pressButton("Check");
      awaitText(browser, "#cutover-guide .outcome", "Go", "nothing");
      await()
          .atMost(LONG)
          .until(() -> !browser.text("#cutover-guide").contains("has changed since the check"));

      browser.pressButton("Cut over");
      awaitText(browser, "dialog", "at most 7 seconds", "Accepted: missing-view.");
      browser.find("#task-typed").sendKeys("shop", Keys.ENTER);
      assertThat(browser.find("dialog button.danger").isEnabled()).isFalse();
      assertThat(task.commands()).isEmpty();
      browser.find("#task-typed").sendKeys("-migration", Keys.ENTER);
      awaitText(browser, "#cutover-guide", "cut over", "sequence " + MARKUP);
      assertThat(task.commands())
          .containsExactly(
              "cutover "
                  + new CutoverOrder(
                      Duration.ofSeconds(300),
                      Optional.of(Duration.ofSeconds(7)),
                      Set.of("missing-view")));
      browser.pressButton("Cut over");
      awaitText(browser, "#cutover-guide", "Check again first.");
      assertThat(browser.run("return document.body.dataset.broken ?? null")).isNull();
      assertThat(browser.problems()).isEmpty();
    }
  }

  @Test
  void whatIsNotShownAnyMoreIsNotAcceptedAnyMoreAndABadBudgetIsTheDaemonsToRefuse() {
    StandingTask task = new StandingTask(StandingTask.healthy());
    task.answers(new Outcome(true, 0.2, "rehearsed", List.of()));
    task.reports(order -> report(order, List.of(choice(order, "missing-view"))));
    try (ServedPage served = ServedPage.start(folder, task, 0);
        Browser browser = Browser.start(folder.resolve("profile"))) {
      served.openIn(browser);
      browser.press("#enter-token");
      browser.find("#token-field").sendKeys(served.token().text(), Keys.ENTER);
      browser.pressButton("Check");
      awaitText(browser, "#cutover-guide", "No-go", "1 choice");
      browser.press("#cutover-findings input[value='missing-view']");
      task.reports(order -> report(order, List.of()));
      browser.pressButton("Check");
      awaitText(browser, "#cutover-guide", "Go", "nothing is in the way");
      browser.pressButton("Rehearse");
      browser.press("dialog button[type=submit]");
      awaitText(browser, "#cutover-guide", "rehearsed");
      assertThat(task.commands())
          .singleElement()
          .asString()
          .startsWith("rehearse ")
          .endsWith("accepted=[]]");

      browser.fill("#cutover-budget", "0");
      browser.pressButton("Check");
      awaitText(browser, "#cutover-guide", "The daemon refuses it", "seconds from 0.5 to 600");
    }
  }

  @Test
  void aCutoverThatStandsIsContinuedOnlyAfterTheNameIsTyped() {
    StandingTask task = new StandingTask(StandingTask.healthy());
    task.answers(Outcome.of(Ending.UNDECIDED, 1, "not done yet: " + MARKUP, List.of()));
    try (ServedPage served = ServedPage.start(folder, task, 0);
        Browser browser = Browser.start(folder.resolve("profile"))) {
      served.openIn(browser);
      browser.press("#enter-token");
      browser.find("#token-field").sendKeys(served.token().text(), Keys.ENTER);
      assertThat(browser.run(CONTINUES)).isEqualTo(false);
      task.become(StandingTask.cuttingOver());
      await().atMost(LONG).until(() -> browser.run(CONTINUES).equals(true));
      browser.pressButton("Cut over");
      assertThat(browser.text("#cutover-guide"))
          .contains("The task is in phase cutting-over; this begins in phase replicating.");
      assertThat(browser.all("dialog")).isEmpty();

      browser.pressButton("Continue it");
      awaitText(browser, "dialog", "Continue it?", "After the decision nothing is taken back");
      browser.find("#task-typed").sendKeys("shop", Keys.ENTER);
      assertThat(task.commands()).isEmpty();
      browser.find("#task-typed").sendKeys("-migration", Keys.ENTER);
      awaitText(browser, "#cutover-guide", "not done yet: " + MARKUP);
      assertThat(task.commands()).singleElement().asString().startsWith("cutover ");

      task.answers(new Outcome(true, 1, "cut over", List.of()));
      browser.pressButton("Continue it");
      browser.find("#task-typed").sendKeys("shop-migration", Keys.ENTER);
      awaitText(browser, "#cutover-guide", "cut over");
      task.become(StandingTask.healthy());
      awaitText(browser, "#cutover-guide", "Nothing runs.");
      browser.pressButton("Continue it");
      assertThat(browser.all("dialog")).isEmpty();
      assertThat(task.commands()).hasSize(2);
    }
  }

  private static CutoverReport report(CutoverOrder order, List<Finding> findings) {
    return new CutoverReport(
        "shop-migration",
        findings.stream().allMatch(Finding::accepted),
        Instant.now(),
        2,
        List.copyOf(order.accepted()),
        findings);
  }

  private static Finding choice(CutoverOrder order, String kind) {
    return new Finding(
        kind,
        "choice",
        order.accepted().contains(kind),
        "2 views",
        "are missing",
        "both",
        "Create them",
        2,
        List.of("public.a", "public.b"));
  }

  private static void awaitText(Browser browser, String selector, String... parts) {
    await().atMost(LONG).untilAsserted(() -> assertThat(browser.text(selector)).contains(parts));
  }
}
