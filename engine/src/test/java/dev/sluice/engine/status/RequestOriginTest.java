package dev.sluice.engine.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.HttpAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestOriginTest {
  private static final HttpAddress CONFIGURED = new HttpAddress("sluice.internal", 8080);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.0.0.1:8080",
        "10.1.2.3:8080",
        "[::1]:8080",
        "[fe80::1]",
        "LocalHost:8080",
        "sluice.internal",
        "Sluice.Internal:8080"
      })
  void aRequestToAnAddressOrTheConfiguredNameIsAccepted(String host) {
    assertThat(of(host).problem(CONFIGURED)).isEmpty();
    assertThat(new RequestOrigin(List.of(host), List.of("http://" + host)).problem(CONFIGURED))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8080",
        "evil.example@127.0.0.1",
        "[::1].evil.example",
        "sluice.internal.evil.example",
        "127.0.0.1:8080:x"
      })
  void aRequestToAnyOtherNameIsRefusedAndTheNameSaid(String host) {
    assertThat(of(host).problem(CONFIGURED).orElseThrow()).contains("found Host: " + host);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "http://evil.example",
        "https://127.0.0.1:8080",
        "http://127.0.0.1:9090",
        "http://127.0.0.1:8080.evil.example"
      })
  void aRequestOfAPageOfElsewhereIsRefused(String origin) {
    RequestOrigin request = new RequestOrigin(List.of("127.0.0.1:8080"), List.of(origin));
    assertThat(request.problem(CONFIGURED).orElseThrow()).contains("found Origin: " + origin);
  }

  private static RequestOrigin of(String host) {
    return new RequestOrigin(List.of(host), List.of());
  }
}
