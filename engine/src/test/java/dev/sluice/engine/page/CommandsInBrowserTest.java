package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.status.TaskControl.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/** Commands that are given on the real page in a real browser; the task notes what it is asked. */
class CommandsInBrowserTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String MARKUP = "<img src=x onerror=\"document.body.dataset.broken=1\">";
  private static final String RETRY = "#retry .action button";

  @RegisterExtension static final PageInBrowser PAGE = new PageInBrowser();

  private final Browser browser = PAGE.browser();
  private final StandingTask task = PAGE.newTask();

  @BeforeEach
  void answer() {
    task.answers(new Outcome(true, 0, "it is done", List.of("with a detail")));
  }

  @Test
  void theTokenIsAskedForOnceAndAWrongOneIsRefused() {
    assertThat(browser.text("#token")).startsWith("Reading only");
    browser.press(RETRY);
    awaitText("dialog", "control-token", "cat DATA-DIR/control-token");
    browser.find("#token-field").sendKeys("f".repeat(64), Keys.ENTER);
    awaitText("dialog [role=alert]", "The daemon refuses it: X-Sluice-Token is missing or wrong");
    assertThat(task.commands()).isEmpty();

    browser.find("#token-field").clear();
    browser.find("#token-field").sendKeys(PAGE.token().text(), Keys.ENTER);
    awaitText("#retry .outcome", "Done", "it is done", "with a detail");
    assertThat(task.commands()).containsExactly("retry");
    assertThat(browser.all("dialog")).isEmpty();

    browser.press(RETRY);
    await().atMost(LONG).until(() -> task.commands().size() == 2);
    assertThat(browser.all("dialog")).isEmpty();
    // Refused requests are errors to the browser.
    browser.problems();
  }

  @Test
  void theTokenIsInTheTabsStorageAloneAndIsForgotten() {
    enterToken();
    browser.press(RETRY);
    awaitText("#retry .outcome", "it is done");
    String token = PAGE.token().text();
    assertThat(browser.run("return Object.values(sessionStorage).join()")).isEqualTo(token);
    assertThat(browser.run("return localStorage.length + document.cookie.length")).isEqualTo(0L);
    assertThat(browser.run("return location.href + document.documentElement.outerHTML"))
        .asString()
        .doesNotContain(token);
    assertThat(browser.requestedUrls())
        .anyMatch(url -> url.endsWith("/retry"))
        .noneMatch(url -> url.contains(token));

    browser.press("#forget-token");
    assertThat(browser.run("return sessionStorage.length")).isEqualTo(0L);
    browser.press(RETRY);
    awaitText("dialog", "The token of the daemon");
    browser.find("#token-field").sendKeys(Keys.ESCAPE);
    awaitText("#retry .outcome", "Not sent", "it needs the token");
    assertThat(task.commands()).containsExactly("retry");
  }

  @Test
  void aReloadOfThePageKeepsTheTokenAndANewDaemonAsksForItsOwn() {
    enterToken();
    PAGE.served().openIn(browser);
    assertThat(browser.text("#token")).startsWith("Commands are possible");
    PAGE.stopDaemon();
    awaitText("#retry .action", "The daemon does not answer.");
    browser.press(RETRY);
    PAGE.startAgain(task);
    await().atMost(LONG).until(() -> browser.text("#connection").startsWith("live"));
    assertThat(task.commands()).as("a button that cannot be used does nothing").isEmpty();

    browser.press(RETRY);
    awaitText("dialog", "The daemon refuses it", "A daemon that was started again has a new token");
    browser.find("#token-field").sendKeys(PAGE.token().text(), Keys.ENTER);
    awaitText("#retry .outcome", "it is done");
    assertThat(task.commands()).containsExactly("retry");
    browser.problems();
  }

  @Test
  void aSuspendedTableIsResumedByItsExactName() {
    enterToken();
    task.answers(new Outcome(false, 0, "nothing is changed:", List.of("table " + MARKUP)));
    browser.press(article("rm -rf", "button.danger"));
    awaitText("dialog", "The table is emptied on the target", "Rows that only the target has");
    assertThat(task.commands()).isEmpty();
    browser.press("dialog button[type=button]");
    await().atMost(LONG).until(() -> browser.all("dialog").isEmpty());
    assertThat(task.commands()).isEmpty();

    browser.press(article("rm -rf", "button.danger"));
    browser.press("dialog button.danger");
    awaitText(article("rm -rf", ".action:last-child .outcome"), "Not done", MARKUP);
    assertThat(task.commands())
        .containsExactly("reload [\"My \"\"quoted\"\" Shop\".\"it's odd; rm -rf\"]");
    assertThat(browser.run("return document.body.dataset.broken ?? null")).isNull();

    task.answers(new Outcome(true, 0, "catching up from their own positions", List.of()));
    browser.press(article("shop.payments", "button"));
    awaitText(article("shop.payments", ".outcome"), "Done", "catching up");
    assertThat(task.commands()).endsWith("resume [shop.payments]");
    assertThat(browser.text(article("shop.stock", ".action"))).contains("It is reloading already.");

    task.become(StandingTask.healthy());
    await().atMost(LONG).until(() -> browser.all("#suspended article").isEmpty());
    assertThat(browser.text("#suspended"))
        .as("what came of it stays when the table is with the others again")
        .contains("catching up from their own positions");
  }

  @Test
  void aSettingIsTunedWithItsOldAndItsNewValueAndTheDaemonsWords() {
    enterToken();
    browser.find("#tune-name").sendKeys("Sluice.SwapLimit");
    assertThat(browser.text("#tune")).contains("Now 2 GiB", "(from tune)", "Enter a new value.");
    browser.press("#tune .action button");
    browser.find("#tune-value").sendKeys("lots");
    assertThat(browser.text("#tune")).contains("becomes lots.");
    task.answers(
        new Outcome(
            false,
            0,
            "nothing is changed:",
            List.of("SwapLimit lots: is no size, 1 GiB expected")));
    browser.press("#tune .action button");
    awaitText("#tune .outcome", "Not done", "nothing is changed:", "SwapLimit lots: is no size");

    browser.find("#tune-value").clear();
    browser.find("#tune-value").sendKeys("4 GiB & more");
    task.answers(new Outcome(true, 0, "in effect", List.of("Sluice.SwapLimit: 2 GiB -> 4 GiB")));
    browser.press("#tune .action button");
    awaitText("#tune .outcome", "Done", "2 GiB -> 4 GiB");
    assertThat(task.commands())
        .containsExactly("tune {Sluice.SwapLimit=lots}", "tune {Sluice.SwapLimit=4 GiB & more}");
    assertThat(browser.find("#tune-name").getDomProperty("value")).isEqualTo("Sluice.SwapLimit");
  }

  @Test
  void aRepairDeletesNothingUnlessThatIsChosen() {
    enterToken();
    browser.press("#repair .action button");
    awaitText("dialog", "Rows that change meanwhile are left");
    browser.press("dialog button.danger");
    awaitText("#repair .outcome", "Done");
    assertThat(task.commands()).containsExactly("repair []");

    browser.press("#repair .action button");
    browser.find("#repair-tables").sendKeys("shop.");
    browser.press("#repair-deletes");
    browser.press("dialog button.danger");
    await().atMost(LONG).until(() -> task.commands().size() == 2);
    assertThat(task.commands().get(1)).matches("repair \\[shop\\.[a-z_]+] and delete");

    browser.press("#repair .action button");
    assertThat(browser.find("#repair-deletes").isSelected()).as("chosen anew each time").isFalse();
    browser.press("dialog button[type=button]");

    task.become(StandingTask.healthy());
    await().atMost(LONG).until(() -> browser.text("#repair").contains("No row is listed"));
  }

  @Test
  void aDoubleClickGivesACommandOnce() {
    enterToken();
    CountDownLatch answered = new CountDownLatch(1);
    task.answers(
        () -> {
          awaitLatch(answered);
          return new Outcome(true, 0, "it is done", List.of());
        });
    browser.doubleClick(RETRY);
    await().atMost(LONG).until(() -> task.commands().size() == 1);
    awaitText("#retry .action", "Its answer is waited for.");
    browser.press(RETRY);
    browser.find(RETRY).sendKeys(Keys.ENTER);
    answered.countDown();
    awaitText("#retry .outcome", "Done", "it is done");
    assertThat(task.commands()).containsExactly("retry");

    browser.doubleClick(article("shop.payments", "button.danger"));
    awaitText("dialog", "Copy shop.payments again?");
    assertThat(task.commands()).as("its second click is no answer").containsExactly("retry");
  }

  @Test
  void commandsAreGivenByKeyboardAndStayInASmallWindow() {
    enterToken();
    browser.resize(360, 800);
    browser.prefer("dark");
    browser.focus(RETRY);
    browser.focused().sendKeys(Keys.ENTER);
    awaitText("#retry .outcome", "it is done");
    assertThat(browser.focused().getText()).as("the focus stays").isEqualTo("Retry now");
    browser.press(article("rm -rf", "button.danger"));
    awaitText("dialog", "Copy");
    assertThat(
            browser.run(
                "const box = document.querySelector('dialog').getBoundingClientRect(); return box.left >= 0 && box.right <= 360 && document.documentElement.scrollWidth <= 360"))
        .isEqualTo(true);
    assertThat(
            browser.run("return document.querySelector('dialog').contains(document.activeElement)"))
        .isEqualTo(true);
    browser.focused().sendKeys(Keys.ESCAPE);
    await().atMost(LONG).until(() -> browser.all("dialog").isEmpty());
    assertThat(browser.problems()).isEmpty();
  }

  private void enterToken() {
    browser.press("#enter-token");
    browser.find("#token-field").sendKeys(PAGE.token().text(), Keys.ENTER);
    await().atMost(LONG).until(() -> browser.text("#token").startsWith("Commands are possible"));
  }

  /** Marks the article of a table, and selects in it. */
  private String article(String name, String selector) {
    browser.run(
        "[...document.querySelectorAll('#suspended article')].forEach(a => a.dataset.named = a.querySelector('.name').textContent)");
    return "#suspended article[data-named*='" + name + "'] " + selector;
  }

  private void awaitText(String selector, String... parts) {
    await().atMost(LONG).untilAsserted(() -> assertThat(browser.text(selector)).contains(parts));
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
