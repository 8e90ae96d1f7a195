package dev.sluice.documents;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The files of the checkout, without what builds make. Immutable once read. */
final class Checkout {
  private static final Set<String> NOT_OURS = Set.of(".git", "data", ".builds");
  private static final Set<String> TEXT =
      Set.of("java", "sql", "xml", "yaml", "yml", "json", "properties", "sh");
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");

  private static final Pattern PACKAGE =
      Pattern.compile("(.*)/src/main/java/dev/sluice/(.*)/[A-Z]\\w*\\.java");

  private final Path root;
  private final Map<Path, String> sources = new LinkedHashMap<>();
  private final Set<String> names = new HashSet<>();
  private final List<MarkdownPage> pages = new ArrayList<>();

  /** Words of all files but tests and documents, with dashes and underscores in them. */
  private final Set<String> words = new HashSet<>();

  private Checkout(Path root) {
    this.root = root;
  }

  static Checkout read(Path root) throws IOException {
    Checkout checkout = new Checkout(root);
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return isOurs(folder) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            checkout.take(file);
            return FileVisitResult.CONTINUE;
          }
        });
    return checkout;
  }

  /** A folder {@code target} is a build's only beside a pom; a package has that name too. */
  private static boolean isOurs(Path folder) {
    String name = folder.getFileName().toString();
    return !NOT_OURS.contains(name)
        && !(name.equals("target") && Files.exists(folder.resolveSibling("pom.xml")));
  }

  private void take(Path file) throws IOException {
    String name = file.getFileName().toString();
    names.add(name);
    String ending = name.substring(name.lastIndexOf('.') + 1);
    if (ending.equals("md")) {
      pages.add(MarkdownPage.read(root, file));
    } else if (TEXT.contains(ending)) {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      sources.put(root.relativize(file), text);
      if (!file.toString().contains("/src/test/")) {
        Matcher word = WORD.matcher(text);
        while (word.find()) {
          words.add(word.group());
        }
      }
    }
  }

  List<MarkdownPage> pages() {
    return pages;
  }

  MarkdownPage page(String name) {
    return pages.stream()
        .filter(page -> page.file().equals(Path.of(name)))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no page " + name));
  }

  /** Whether a file or folder is there, by its path from the root. */
  boolean hasPath(String path) {
    return Files.exists(root.resolve(path).normalize());
  }

  boolean hasFileNamed(String name) {
    return names.contains(name);
  }

  /** Whether a class of that name has a method of that name. */
  boolean hasMethod(String type, String method) {
    return sources.entrySet().stream()
        .filter(source -> source.getKey().endsWith(type + ".java"))
        .anyMatch(source -> source.getValue().contains(" " + method + "("));
  }

  /** Whether the product's own files have it as a word. */
  boolean hasWord(String word) {
    return words.contains(word);
  }

  /** Whether the text stands in one of the sources. */
  boolean hasText(String text) {
    return sources.entrySet().stream()
        .filter(source -> !source.getKey().toString().contains("src/test/"))
        .anyMatch(source -> source.getValue().contains(text));
  }

  /** The product's packages, without those of the benchmarks and without {@code dev.sluice}. */
  Set<String> packages() {
    Set<String> packages = new TreeSet<>();
    for (Path file : sources.keySet()) {
      Matcher main = PACKAGE.matcher(file.toString());
      if (main.matches() && !main.group(1).startsWith("bench")) {
        packages.add(main.group(2).replace('/', '.'));
      }
    }
    return packages;
  }

  /** All source files that have a text in them, without tests, one after the other. */
  String sourcesWith(String text) {
    return sources.entrySet().stream()
        .filter(source -> source.getKey().toString().contains("src/main"))
        .map(Map.Entry::getValue)
        .filter(source -> source.contains(text))
        .collect(Collectors.joining("\n"));
  }

  /** All of the product's Java files, without tests, one after the other. */
  String mainSourcesOutsideOf(Set<String> modules) {
    return sources.entrySet().stream()
        .filter(source -> source.getKey().toString().matches(".*/src/main/.*\\.java"))
        .filter(source -> !modules.contains(source.getKey().getName(0).toString()))
        .map(Map.Entry::getValue)
        .collect(Collectors.joining("\n"));
  }

  /** The text of the one source file of that name, or of the file at that path. */
  String source(String name) {
    String atPath = sources.get(Path.of(name));
    if (atPath != null) {
      return atPath;
    }
    List<Path> found = sources.keySet().stream().filter(file -> file.endsWith(name)).toList();
    if (found.size() != 1) {
      throw new IllegalArgumentException("expected one " + name + ", found " + found);
    }
    return sources.get(found.get(0));
  }
}
