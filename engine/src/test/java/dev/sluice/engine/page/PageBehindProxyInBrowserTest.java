package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.ExternalOrigin;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The real page through a proxy with TLS, in a real browser. */
class PageBehindProxyInBrowserTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path folder;
  private final StandingTask task = new StandingTask(StandingTask.ofEveryKind());

  @Test
  void commandsAreGivenThroughTheProxyThatTheTaskFileNamesAndThroughNoOther() throws Exception {
    task.answers(new Outcome(true, 0, "it is done", List.of()));
    try (TlsProxy proxy = TlsProxy.start(folder);
        Browser browser = Browser.start(folder.resolve("profile"))) {
      try (ServedPage unnamed = ServedPage.start(folder, task, 0)) {
        proxy.forwardTo(unnamed);
        browser.open(proxy.origin() + "/");
        await()
            .atMost(LONG)
            .until(() -> browser.problems().stream().anyMatch(problem -> problem.contains("403")));
        assertThat(browser.text("#state")).contains("Waiting for the first", "http-origins");
        assertThat(browser.text("#connection")).isEqualTo("connecting");
        assertThat(task.commands()).isEmpty();
      }
      List<ExternalOrigin> named = List.of(new ExternalOrigin(proxy.origin()));
      try (ServedPage served = ServedPage.start(folder, task, 0, named)) {
        proxy.forwardTo(served);
        ServedPage.openIn(browser, proxy.origin() + "/");
        command(browser, served);
        await().atMost(LONG).until(() -> browser.text("#retry .outcome").contains("it is done"));
        assertThat(task.commands()).containsExactly("retry");
        assertThat(browser.problems()).isEmpty();
      }
    }
  }

  private static void command(Browser browser, ServedPage served) {
    browser.press("#retry .action button");
    browser.find("#token-field").sendKeys(served.token().text(), Keys.ENTER);
  }
}
