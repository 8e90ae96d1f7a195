package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Problems;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Parses a url such as {@code postgresql://user@host:port/database?sslmode=…}. A password may stand
 * anywhere in a wrong url, so messages never show more of it than names of options.
 */
final class EndpointUrl {
  private final String type;
  private final UrlForm form;
  private final FileLocation place;
  private final Problems problems;

  private EndpointUrl(String type, UrlForm form, FileLocation place, Problems problems) {
    this.type = type;
    this.form = form;
    this.place = place;
    this.problems = problems;
  }

  /** The endpoint, or empty after a problem. */
  static Optional<Endpoint> parse(
      EndpointType type, FileLocation place, String url, Secret password, Problems problems) {
    return parse(type.name(), type.url(), place, url, password, problems);
  }

  static Optional<Endpoint> parse(
      String type,
      UrlForm form,
      FileLocation place,
      String url,
      Secret password,
      Problems problems) {
    return new EndpointUrl(type, form, place, problems).parse(url, password);
  }

  private Optional<Endpoint> parse(String url, Secret password) {
    int before = problems.count();
    URI uri;
    try {
      uri = new URI(url.strip());
    } catch (URISyntaxException e) {
      // the exception's message quotes the url
      problem(
          "the url has an invalid character at position " + (e.getIndex() + 1),
          "Percent-encode the character, and keep the password out of the url");
      return Optional.empty();
    }
    if (!form.accepts(uri.getScheme())) {
      boolean jdbc = "jdbc".equals(uri.getScheme());
      problem(
          jdbc ? "a JDBC url" : "the url does not start with " + form.scheme() + "://",
          jdbc
              ? "Remove \"jdbc:\" and put the user before the host"
              : "Write " + form.scheme() + ":// at the start");
      return Optional.empty();
    }
    if (!hasUser(uri) && url.contains("@")) {
      // a / or ? in a password ends the part before the @, and what follows must not be shown
      passwordInUrl();
      return Optional.empty();
    }
    String user = userOf(uri);
    if (uri.getHost() == null) {
      problem("the url has no host, or more than one", "Write one host and, if needed, its port");
    }
    if (uri.getPort() == 0 || uri.getPort() > 65_535) {
      problem("port " + uri.getPort(), "Write a port from 1 to 65535");
    }
    String path = uri.getPath() == null ? "" : uri.getPath();
    String database = path.startsWith("/") ? path.substring(1) : path;
    if (database.isEmpty() || database.contains("/")) {
      problem("the url has no database, or more than one", "End it with /database");
    }
    Map<String, String> options = options(uri.getRawQuery());
    if (problems.count() > before) {
      return Optional.empty();
    }
    String host = uri.getHost();
    return Optional.of(
        new Endpoint(
            type,
            host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
            uri.getPort() < 0 ? form.defaultPort() : uri.getPort(),
            database,
            user,
            password,
            options));
  }

  private static boolean hasUser(URI uri) {
    return uri.getRawAuthority() != null && uri.getRawAuthority().contains("@");
  }

  private String userOf(URI uri) {
    String user =
        hasUser(uri)
            ? uri.getRawAuthority().substring(0, uri.getRawAuthority().lastIndexOf('@'))
            : "";
    if (user.contains(":")) {
      passwordInUrl();
    } else if (user.isEmpty()) {
      problem("the url has no user", "Write the user and @ before the host");
    }
    return decode(user);
  }

  private Map<String, String> options(String query) {
    Map<String, String> options = new HashMap<>();
    for (String part : query == null ? new String[0] : query.split("&")) {
      int equals = part.indexOf('=');
      String name = decode(equals < 0 ? part : part.substring(0, equals));
      String value = equals < 0 ? "" : decode(part.substring(equals + 1));
      if (name.equals("password") || name.equals("sslpassword")) {
        passwordInUrl();
      } else if (!form.options().contains(name)) {
        problems.add(
            place,
            "unknown option \"" + name + "\" in the url",
            "one of: " + String.join(", ", form.options()),
            NearestName.of(name, form.options())
                .map(known -> "Did you mean \"" + known + "\"?")
                .orElse("Remove it"));
      } else if (!form.choices().getOrDefault(name, List.of(value)).contains(value)) {
        List<String> values = form.choices().get(name);
        problems.add(
            place,
            name + " \"" + value + "\"",
            Fields.oneOf(values),
            NearestName.fix(value, values));
      } else {
        options.put(name, value);
      }
    }
    return options;
  }

  private void passwordInUrl() {
    problems.add(
        place,
        "a password inside the url",
        form.example(),
        "Remove it from the url and add a line: password: ${env:NAME} or ${file:/path}");
  }

  private void problem(String found, String fix) {
    problems.add(place, found, form.example(), fix);
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
