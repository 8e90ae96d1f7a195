package dev.sluice.config.settings;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;

/** The form of an address to which metrics are pushed. Stateless. */
final class OtlpUrl {
  static final String EXAMPLE = "http://127.0.0.1:4318/v1/metrics";

  private static final List<String> SCHEMES = List.of("http", "https");

  private OtlpUrl() {}

  /** Whether metrics can be sent there, and the address holds no secret that would be shown. */
  static boolean isValid(String text) {
    try {
      URI address = new URI(text);
      return address.getScheme() != null
          && SCHEMES.contains(address.getScheme())
          && address.getHost() != null
          && address.getPath().length() > 1
          && address.getUserInfo() == null
          && address.getQuery() == null
          && address.getFragment() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
