package dev.sluice.engine.validate.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.comparison.KeyRange;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Databases of different encodings. */
class EncodingsTest {
  private static final String AS = "TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING '%s'";

  @ParameterizedTest
  @CsvSource({"LATIN1, UTF8", "UTF8, LATIN1", "EUC_JP, UTF8", "LATIN1, EUC_JP"})
  void theSameCharactersAreEqualInAnyEncoding(String source, String target) throws Exception {
    boolean japanese = source.equals("EUC_JP") || target.equals("EUC_JP");
    String letters = japanese && !source.equals("LATIN1") ? "日本" : japanese ? "plain" : "é¡ÿ";
    try (MovingPair pair = new MovingPair(AS.formatted(source), AS.formatted(target))) {
      pair.onBoth(
          "CREATE TABLE app.t (id text PRIMARY KEY, v text, a text[])",
          "INSERT INTO app.t SELECT '%s' || i, '%s', ARRAY['%s', NULL] FROM generate_series(1, 1500) i"
              .formatted(letters, letters, letters));

      assertThat(pair.compare("t").isProven()).isTrue();

      pair.onTarget(
          "UPDATE app.t SET v = '?' WHERE id LIKE '%77'",
          "DELETE FROM app.t WHERE id = '" + letters + "5'");
      TableFindings found = pair.compare("t");
      assertThat(found.why()).isEmpty();
      assertThat(found.differences()).hasSize(16);
      assertThat(found.chunks().get(0).bounds() instanceof KeyRange)
          .isEqualTo(!List.of(source, target).contains("EUC_JP"));
    }
  }
}
