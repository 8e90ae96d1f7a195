package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A page of somebody else on the same machine, in a browser that also has the daemon's page. */
class ForeignPageInBrowserTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Whatever a page can send, also with a token that it has guessed. */
  private static final String ATTACK =
      """
      <!doctype html><meta charset="utf-8"><body>
      <iframe name="sink"></iframe><iframe id="framed" src="http://HOST/"></iframe>
      <form id="form" method="post" action="http://HOST/retry" target="sink"></form>
      <script>
        const seen = [];
        const send = (options) => fetch('http://HOST/retry', {method: 'POST', ...options})
          .then((answer) => seen.push(answer.type + ' ' + answer.status), () => seen.push('refused'));
        document.getElementById('form').submit();
        Promise.all([
          send({headers: {'X-Sluice-Token': 'TOKEN'}}),
          send({headers: {'X-Sluice-Token': 'TOKEN'}, mode: 'no-cors'}),
          send({mode: 'no-cors', credentials: 'include'}),
          send({mode: 'no-cors', body: 'X-Sluice-Token: TOKEN'}),
          fetch('http://HOST/status').then((answer) => seen.push('read'), () => seen.push('refused')),
        ]).then(() => { navigator.sendBeacon('http://HOST/retry', ''); document.body.dataset.seen = seen.join(); });
      </script>
      """;

  @TempDir Path folder;

  @Test
  void aForeignPageGivesNoCommandReadsNothingAndShowsThePageInNoFrame() throws Exception {
    StandingTask task = new StandingTask(StandingTask.ofEveryKind());
    task.answers(new Outcome(true, 0, "it is done", List.of()));
    try (ServedPage served = ServedPage.start(folder, task, 0);
        Browser browser = Browser.start(folder.resolve("profile"))) {
      served.openIn(browser);
      HttpServer foreign = foreignPage(served);
      try {
        browser.open("http://127.0.0.1:" + foreign.getAddress().getPort() + "/");
        await()
            .atMost(LONG)
            .until(() -> browser.run("return document.body?.dataset.seen ?? null") != null);
        assertThat(browser.run("return document.body.dataset.seen"))
            .asString()
            .doesNotContain("read", "200")
            .contains("refused");
        assertThat(browser.problems()).anyMatch(problem -> problem.contains("frame-ancestors"));
        assertThat(browser.requestedUrls()).contains(served.url() + "retry");
      } finally {
        foreign.stop(0);
      }
      // The page itself can: whatever was sent before it has arrived.
      served.openIn(browser);
      browser.press("#retry .action button");
      browser.find("#token-field").sendKeys(served.token().text(), org.openqa.selenium.Keys.ENTER);
      await().atMost(LONG).until(() -> browser.text("#retry .outcome").contains("it is done"));
      assertThat(task.commands()).containsExactly("retry");
    }
  }

  private static HttpServer foreignPage(ServedPage served) throws IOException {
    byte[] body =
        ATTACK
            .replace("HOST", served.host())
            .replace("TOKEN", served.token().text())
            .getBytes(StandardCharsets.UTF_8);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
          }
        });
    server.start();
    return server;
  }
}
