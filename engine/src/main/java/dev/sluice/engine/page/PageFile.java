package dev.sluice.engine.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * A file of the page. All are read once, and are answered at exactly their paths; so no path leads
 * to another file of this machine. Immutable.
 *
 * @param path of the URL
 */
record PageFile(String path, String type, byte[] content) {
  /** What {@code index.html} needs; a test compares this with the folder. */
  static final List<String> NAMES =
      List.of(
          "action.js",
          "attention.js",
          "backlog.js",
          "commands.css",
          "commands.js",
          "connection.js",
          "cutover-guide.js",
          "cutover.js",
          "dialog.js",
          "elements.js",
          "figures.js",
          "format.js",
          "full-load.js",
          "go-or-no-go.js",
          "headline.js",
          "history.js",
          "icon.svg",
          "index.html",
          "main.js",
          "other-tasks.js",
          "page.css",
          "plot.js",
          "plots.css",
          "plots.js",
          "proof.js",
          "repair.js",
          "request.js",
          "retry.js",
          "scale.js",
          "servers.js",
          "settings.js",
          "suspended.js",
          "table-view.js",
          "tables.js",
          "token-bar.js",
          "token.js",
          "tune-form.js",
          "way-back.js",
          "window-plot.js",
          "window-reasons.js",
          "window-table.js",
          "windows.css",
          "windows.js");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml; charset=utf-8");

  static List<PageFile> all() {
    return NAMES.stream().map(PageFile::of).toList();
  }

  private static PageFile of(String name) {
    try (InputStream file = PageFile.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalStateException("BUG: the jar lacks the page's " + name);
      }
      return new PageFile(
          name.equals("index.html") ? "/" : "/page/" + name,
          TYPES.get(name.substring(name.lastIndexOf('.') + 1)),
          file.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("the page's " + name + " cannot be read", e);
    }
  }
}
