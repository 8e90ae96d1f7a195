package dev.sluice.engine.status;

import com.sun.net.httpserver.Headers;

/**
 * What a browser may do with an answer of the {@link StatusServer}: run scripts and load styles of
 * this server alone, turn no text into markup, send nothing elsewhere, and show it in no frame.
 * Stateless.
 */
final class BrowserRules {
  private static final String CONTENT =
      String.join(
          "; ",
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "connect-src 'self'",
          "img-src 'self' data:",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
          "trusted-types 'none'");

  private BrowserRules() {}

  static void set(Headers headers) {
    headers.set("Content-Security-Policy", CONTENT);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
  }
}
