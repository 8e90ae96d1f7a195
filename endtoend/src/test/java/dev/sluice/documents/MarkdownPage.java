package dev.sluice.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of the documents, parsed into the parts that the checks read. Immutable.
 *
 * @param anchors what a link may name behind {@code #}
 * @param codes the texts in backticks, outside of code blocks
 * @param blockLines the lines of code blocks
 * @param paragraphs each paragraph, list entry and table cell
 */
record MarkdownPage(
    Path file,
    List<String> lines,
    Set<String> anchors,
    List<Found> links,
    List<Found> codes,
    List<Found> blockLines,
    List<Found> paragraphs) {

  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*)");
  private static final Pattern ENTRY = Pattern.compile("(\\d+\\.|[-*]) .*");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
  private static final Pattern CELL_BORDER = Pattern.compile("(?<!\\\\)\\|");

  /** A piece of text and the line where it begins, counted from 1. */
  record Found(Path file, int line, String text) {
    @Override
    public String toString() {
      return file + ":" + line + ": " + text;
    }
  }

  static MarkdownPage read(Path root, Path file) throws IOException {
    Path name = root.relativize(file);
    List<String> lines = Files.readAllLines(file);
    MarkdownPage page =
        new MarkdownPage(
            name,
            lines,
            new HashSet<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    boolean inBlock = false;
    boolean paragraphOpen = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.startsWith("```")) {
        inBlock = !inBlock;
        paragraphOpen = false;
      } else if (inBlock) {
        page.blockLines.add(new Found(name, i + 1, line));
      } else {
        paragraphOpen = page.take(line, i + 1, paragraphOpen);
      }
    }
    return page;
  }

  /** Gives whether the next line may go on with this one's paragraph. */
  private boolean take(String line, int number, boolean paragraphOpen) {
    Matcher heading = HEADING.matcher(line);
    if (heading.matches()) {
      addAnchor(heading.group(1));
    }
    addAll(CODE, line, number, codes);
    addAll(LINK, CODE.matcher(line).replaceAll("code"), number, links);
    if (line.isEmpty() || heading.matches() || line.startsWith("<!--")) {
      return false;
    }
    if (line.startsWith("|")) {
      for (String cell : CELL_BORDER.split(line)) {
        paragraphs.add(new Found(file, number, cell));
      }
      return false;
    }
    if (paragraphOpen && !ENTRY.matcher(line).matches()) {
      Found open = paragraphs.remove(paragraphs.size() - 1);
      paragraphs.add(new Found(file, open.line(), open.text() + " " + line));
    } else {
      paragraphs.add(new Found(file, number, line));
    }
    return true;
  }

  /** Rows that do not have as many cells as the row above them. */
  List<Found> rowsOfOtherWidth() {
    List<Found> found = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String above = lines.get(i - 1);
      String row = lines.get(i);
      if (above.startsWith("|") && row.startsWith("|") && cells(above) != cells(row)) {
        found.add(new Found(file, i + 1, row));
      }
    }
    return found;
  }

  private static int cells(String row) {
    return CELL_BORDER.split(row, -1).length;
  }

  private void addAll(Pattern pattern, String line, int number, List<Found> found) {
    Matcher matcher = pattern.matcher(line);
    while (matcher.find()) {
      found.add(new Found(file, number, matcher.group(1)));
    }
  }

  /** As GitHub makes them; a heading that comes again has a number behind it. */
  private void addAnchor(String heading) {
    String anchor =
        heading
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^\\p{L}\\p{N}_ -]", "")
            .strip()
            .replace(' ', '-');
    String next = anchor;
    for (int again = 1; !anchors.add(next); again++) {
      next = anchor + "-" + again;
    }
  }
}
