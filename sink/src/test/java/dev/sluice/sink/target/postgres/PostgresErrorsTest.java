package dev.sluice.sink.target.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetFault;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresErrorsTest {
  private final PostgresErrors errors = new PostgresErrors();

  @ParameterizedTest
  @CsvSource({
    "40P01, TRANSACTION_CONFLICT, Retryable",
    "40001, TRANSACTION_CONFLICT, Retryable",
    "57014, CANCELLED,            Retryable",
    "57P01, UNAVAILABLE,          Retryable",
    "08006, UNAVAILABLE,          Retryable",
    "53100, UNAVAILABLE,          Retryable",
    "55P03, UNAVAILABLE,          Retryable",
    "25006, UNAVAILABLE,          Retryable",
    "42501, MISSING_RIGHT,        Fatal",
    "23505, DUPLICATE_ROW,        Data",
    "23P01, DUPLICATE_ROW,        Data",
    "22001, TOO_LONG,             Data",
    "22P03, UNAVAILABLE,          Retryable",
    "22P02, BAD_ROW,              Data",
    "23503, BAD_ROW,              Data",
    "54000, BAD_ROW,              Data",
    "P0001, BAD_ROW,              Data",
    "42703, BAD_NAME,             Data",
    "2BP01, DEPENDENT_OBJECT,     Fatal",
    "0A000, UNSUPPORTED,          Fatal",
    "55000, UNSUPPORTED,          Fatal",
    "XX000, OTHER,                Fatal",
    ",      OTHER,                Fatal"
  })
  void anErrorIsClassifiedByItsState(String state, TargetFault fault, String failure) {
    SQLException error = new SQLException("ERROR: it\n  failed", state);
    assertThat(errors.faultOf(error)).isEqualTo(fault);
    SluiceException classified = errors.classify("do it", error);
    assertThat(classified.getClass().getSimpleName()).isEqualTo(failure);
    assertThat(classified).hasMessageStartingWith("could not do it: it; failed (SQLSTATE ");
  }

  @Test
  void aLostConnectionMayPassWhateverItsState() {
    SQLException error = new SQLException("lost", "22P02", new IOException("reset"));
    assertThat(errors.faultOf(error)).isEqualTo(TargetFault.UNAVAILABLE);
  }

  @ParameterizedTest
  @CsvSource({"0A000, Data", "2BP01, Data", "42P07, Data", "42501, Fatal", "40P01, Retryable"})
  void aRejectedDefinitionIsAnErrorOfItsTable(String state, String failure) {
    assertThat(errors.classifyDefinition("alter", new SQLException("no", state)).getClass())
        .hasToString("class dev.sluice.config.document.SluiceException$" + failure);
  }
}
