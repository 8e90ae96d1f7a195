package dev.sluice.monitoring;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an expression of PromQL names. It is split into words and not parsed: brackets have to
 * match, and every word must be known to be a function, a metric or a label. Whether operators and
 * arguments fit is for promtool. Immutable.
 *
 * @param selectors each metric with its matchers, in their order
 * @param grouped labels by which it groups or matches
 */
public record Expression(List<Selector> selectors, Set<String> grouped) {
  private static final Pattern WORD =
      Pattern.compile(
          "(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"
              + "|(?<number>(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?(?![\\w.]))"
              + "|(?<text>\"(?:[^\"\\\\]|\\\\.)*\")"
              + "|(?<range>\\[(?:\\d+(?:ms|[smhdwy]))+])"
              + "|(?<sign>=~|!~|!=|==|>=|<=|[-+*/%^<>=(){},])");

  private static final Set<String> FUNCTIONS =
      Set.of(
          "absent",
          "avg",
          "changes",
          "count",
          "histogram_quantile",
          "increase",
          "max",
          "min",
          "rate",
          "sum",
          "time",
          "topk");

  private static final Set<String> GROUPINGS =
      Set.of("by", "without", "on", "ignoring", "group_left", "group_right");

  private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "bool", "Inf");

  private static final Set<String> COMPARISONS = Set.of("=", "!=", "=~", "!~");

  /**
   * A metric with its matchers.
   *
   * @param text as it stands there
   * @param matched the values by label; of a label that is matched twice, the last one
   */
  public record Selector(String text, String metric, Map<String, String> matched) {}

  /**
   * Splits an expression.
   *
   * @throws IllegalArgumentException if it has something unknown, or its brackets do not match
   */
  public static Expression of(String text) {
    return new Reading(text).read();
  }

  /** One pass over the words of an expression. */
  private static final class Reading {
    private final String text;
    private final List<String> words = new ArrayList<>();
    private final List<Selector> selectors = new ArrayList<>();
    private final Set<String> grouped = new TreeSet<>();
    private int at;

    Reading(String text) {
      this.text = text;
      Matcher word = WORD.matcher(text);
      int from = 0;
      while (from < text.length()) {
        if (Character.isWhitespace(text.charAt(from))) {
          from++;
        } else if (word.find(from) && word.start() == from) {
          words.add(word.group());
          from = word.end();
        } else {
          throw wrong("unknown: " + text.substring(from));
        }
      }
    }

    Expression read() {
      Deque<String> open = new ArrayDeque<>();
      while (at < words.size()) {
        String word = words.get(at++);
        switch (word) {
          case "(" -> open.push(word);
          case ")" -> {
            if (open.isEmpty()) {
              throw wrong("a bracket too many");
            }
            open.pop();
          }
          case "{", "}" -> throw wrong("matchers without a metric");
          default -> {
            if (Character.isLetter(word.charAt(0)) || word.charAt(0) == '_') {
              takeName(word);
            }
          }
        }
      }
      if (!open.isEmpty()) {
        throw wrong("a bracket too few");
      }
      if (selectors.isEmpty()) {
        throw wrong("no metric");
      }
      return new Expression(List.copyOf(selectors), Set.copyOf(grouped));
    }

    private void takeName(String name) {
      if (GROUPINGS.contains(name)) {
        take("(");
        while (!next().equals(")")) {
          grouped.add(words.get(at++));
          if (next().equals(",")) {
            at++;
          }
        }
        take(")");
      } else if (next().equals("(") || next().equals("by") || next().equals("without")) {
        if (!FUNCTIONS.contains(name) && !OPERATORS.contains(name)) {
          throw wrong("unknown function " + name);
        }
      } else if (!OPERATORS.contains(name)) {
        takeSelector(name);
      }
    }

    private void takeSelector(String metric) {
      int from = at - 1;
      Map<String, String> matched = new TreeMap<>();
      if (next().equals("{")) {
        at++;
        while (!next().equals("}")) {
          String label = next();
          at++;
          if (!COMPARISONS.contains(next())) {
            throw wrong("label " + label + " is not compared");
          }
          at++;
          String value = next();
          if (!value.startsWith("\"")) {
            throw wrong("label " + label + " is compared with " + value);
          }
          matched.put(label, value.substring(1, value.length() - 1));
          at++;
          if (next().equals(",")) {
            at++;
          }
        }
        take("}");
      }
      selectors.add(new Selector(String.join("", words.subList(from, at)), metric, matched));
    }

    private String next() {
      return at < words.size() ? words.get(at) : "";
    }

    private void take(String word) {
      if (!next().equals(word)) {
        throw wrong("no " + word + " but " + next());
      }
      at++;
    }

    private IllegalArgumentException wrong(String why) {
      return new IllegalArgumentException(why + " in: " + text);
    }
  }
}
