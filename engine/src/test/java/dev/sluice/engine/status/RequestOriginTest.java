package dev.sluice.engine.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.ExternalOrigin;
import dev.sluice.config.task.HttpAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestOriginTest {
  private static final HttpAddress CONFIGURED = new HttpAddress("sluice.internal", 8080);

  private static final List<ExternalOrigin> EXTERNAL =
      List.of(new ExternalOrigin("https://sluice.example.org"));

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
    assertThat(of(host).problem(CONFIGURED, List.of())).isEmpty();
    assertThat(
            new RequestOrigin(List.of(host), List.of("http://" + host))
                .problem(CONFIGURED, List.of()))
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
    assertThat(of(host).problem(CONFIGURED, List.of()).orElseThrow())
        .contains("found Host: " + host);
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
    assertThat(request.problem(CONFIGURED, List.of()).orElseThrow())
        .contains("found Origin: " + origin);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sluice.example.org", "127.0.0.1:8080", "Sluice.Internal:8080"})
  void behindAProxyThePageOfANamedOriginIsAcceptedWhateverHostTheProxySends(String host) {
    assertThat(
            new RequestOrigin(List.of(host), List.of("https://sluice.example.org"))
                .problem(CONFIGURED, EXTERNAL))
        .isEmpty();
    assertThat(of(host).problem(CONFIGURED, EXTERNAL)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://sluice.example.org",
        "https://sluice.example.org:8443",
        "https://sluice.example.org.evil.example",
        "https://evil.example",
        "https://127.0.0.1:8080",
        "null"
      })
  void behindAProxyNoOtherOriginIsAccepted(String origin) {
    for (String host : List.of("sluice.example.org", "127.0.0.1:8080")) {
      assertThat(
              new RequestOrigin(List.of(host), List.of(origin))
                  .problem(CONFIGURED, EXTERNAL)
                  .orElseThrow())
          .contains("found Origin: " + origin, "http-origins:");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"evil.example", "sluice.example.org:80", "x.sluice.example.org"})
  void behindAProxyNoOtherHostIsAccepted(String host) {
    assertThat(of(host).problem(CONFIGURED, EXTERNAL).orElseThrow())
        .contains("found Host: " + host);
  }

  private static RequestOrigin of(String host) {
    return new RequestOrigin(List.of(host), List.of());
  }
}
